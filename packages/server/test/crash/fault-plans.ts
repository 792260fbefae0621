import type { SeededRandom } from '../support/seeded-random.ts'
import type { CallCounts, CallPlan, Fault } from '../support/step-faults.ts'
import {
  BUCKET_CALLS,
  CONNECT,
  DATABASE_CALLS,
  type BucketName,
  type Calls,
  type DatabaseName,
  type Kind,
} from './fault-calls.ts'

export type Side = 'bucket' | 'database'
export type Pair = { bucket: BucketName; database: DatabaseName }

export type Run = {
  /** Which call fails: its side, its name, and its position among the calls of this name. */
  place: string
  /** That, and how it fails. */
  name: string
  side: Side
  kind: Kind
  plan: CallPlan
  mailBytes: number
}

/** How many calls of each name a run without a fault makes. */
export type MadeCalls = Record<Side, CallCounts>

/** One way in which a run can fail. Positions count from 0. */
type Combination = { side: Side; calls: Calls; call: string; position: number; kind: Kind }
type Combinations = { needed: Combination[]; further: Combination[] }

const SIDES: Side[] = ['bucket', 'database']
const LATE_MS = 10_000
export const SMALL_BYTES = 2_000

/**
 * At least as many runs as wanted, for all pairs together: first all that are needed, then each of the further ones, then
 * quick ones again.
 */
export function planRuns(random: SeededRandom, pairs: { pair: Pair; made: MadeCalls }[], count: number) {
  const all = pairs.map(({ pair, made }) => combinationsOf(random, { pair, made }))
  const needed = all.map((one) => one.needed)
  const further = shuffled(random, owned(all.map((one) => one.further)))
  const neededCount = owned(needed).length
  const chosen = [...owned(needed), ...further.slice(0, Math.max(0, count - neededCount))]
  const quick = shuffled(
    random,
    chosen.filter(({ one }) => isQuick({ kind: one.kind, mailBytes: mailBytesFor(one.calls, one.call) })),
  )
  const again = Array.from({ length: Math.max(0, count - chosen.length) }, (_, index) => quick[index % quick.length]!)
  const runs = shuffled(random, [...chosen, ...again])
  return {
    runs: pairs.map((_, owner) => runs.filter((run) => run.owner === owner).map(({ one }) => runOf(random, one))),
    /** How many there are altogether, needed or not. */
    possible: neededCount + further.length,
  }
}

function owned<One>(lists: One[][]): { owner: number; one: One }[] {
  return lists.flatMap((list, owner) => list.map((one) => ({ owner, one })))
}

/**
 * Needed are every position and every kind of fault of every call, in combinations by chance. A late call takes so long
 * that each kind of it comes at one position only.
 */
function combinationsOf(random: SeededRandom, { pair, made }: { pair: Pair; made: MadeCalls }): Combinations {
  const found: Combinations = { needed: [], further: [] }
  for (const { side, calls, call } of callsOf(pair)) {
    // A call that no rehearsal made is planned too, and will be missed.
    const positions = shuffled(
      random,
      Array.from({ length: Math.max(1, made[side][call] ?? 0) }, (_, at) => at),
    )
    const kinds = shuffled(random, calls.kinds[call]!)
    const late = kinds.filter(isLateKind)
    found.needed.push(...late.map((kind) => ({ side, calls, call, position: positions[0]!, kind })))
    const others = kinds.filter((kind) => !isLateKind(kind))
    for (const [row, position] of positions.entries()) {
      for (const [column, kind] of others.entries()) {
        const isNeeded =
          positions.length < others.length ? row === column % positions.length : column === row % others.length
        found[isNeeded ? 'needed' : 'further'].push({ side, calls, call, position, kind })
      }
    }
  }
  return found
}

function callsOf({ bucket, database }: Pair): { side: Side; calls: Calls; call: string }[] {
  const calls = { bucket: BUCKET_CALLS[bucket], database: DATABASE_CALLS[database] }
  return SIDES.flatMap((side) => Object.keys(calls[side].kinds).map((call) => ({ side, calls: calls[side], call })))
}

/** A run in which nothing fails but a cause, and the calls that it is there to count. */
export type Rehearsal = { run: Run; counted: string[] }

/** One for all calls that need the same: large mail, a cause, or new connections. */
export function rehearsalsOf(pair: Pair): Rehearsal[] {
  const needsOf = ({ side, calls, call }: ReturnType<typeof callsOf>[number]) =>
    [side, mailBytesFor(calls, call), calls.causes?.[call], call === CONNECT].join()
  return Array.from(Map.groupBy(callsOf(pair), needsOf).values(), (alike) => {
    const { side, calls, call } = alike[0]!
    const run = runWith(
      { side, calls, call, position: Infinity, kind: 'before' },
      { kind: calls.errors[0]!, lasts: 'once' },
    )
    return { run, counted: alike.map((one) => one.call) }
  })
}

function runOf(random: SeededRandom, combination: Combination): Run {
  const { calls, kind } = combination
  const errors = kind === 'before' ? [...calls.errors, ...(calls.errorsBefore ?? [])] : calls.errors
  const error = kind === 'full' ? calls.full! : random.pick(errors)
  return runWith(combination, { kind: error, lasts: random.pick(lastingOf(kind)) })
}

type Manner = { kind: string; lasts: CallPlan['lasts'] }

function runWith({ side, calls, call, position, kind }: Combination, { kind: error, lasts }: Manner): Run {
  const fault: Fault = { when: kind === 'full' ? 'before' : kind, kind: error }
  const cause = calls.causes?.[call]
  const place = `${side}: ${call} ${position + 1}`
  return {
    place,
    name: `${place}, ${kind}`,
    side,
    kind,
    plan: {
      call,
      skip: position,
      fault: isLateKind(kind) ? { ...fault, lateMs: LATE_MS } : fault,
      lasts,
      ...(cause === undefined ? {} : { cause }),
    },
    mailBytes: mailBytesFor(calls, call),
  }
}

/** Neither late nor with large mail. */
export function isQuick({ kind, mailBytes }: Pick<Run, 'kind' | 'mailBytes'>): boolean {
  return !isLateKind(kind) && mailBytes === SMALL_BYTES
}

function isLateKind(kind: Kind): boolean {
  return kind === 'late' || kind === 'late reply'
}

function mailBytesFor({ large }: Calls, call: string): number {
  return large?.calls.includes(call) ? large.bytes : SMALL_BYTES
}

/** A full disk still serves reads. */
function lastingOf(kind: Kind): CallPlan['lasts'][] {
  if (isLateKind(kind)) return ['once']
  return kind === 'full' ? ['once', 'call'] : ['once', 'once', 'call', 'all']
}

function shuffled<Item>(random: SeededRandom, items: Item[]): Item[] {
  const left = [...items]
  return Array.from(items, () => left.splice(random.below(left.length), 1)[0]!)
}
