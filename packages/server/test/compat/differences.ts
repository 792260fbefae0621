import type { ComparedAnswer, ComparedCall, Run, RunFacts } from './comparison.ts'

/** One value that differs. */
export type Difference = {
  call: ComparedCall
  /** The call without its query, then where the value is in the answer, with `#` for the places of lists. */
  path: string
  peer: unknown
  ours: unknown
  /** The objects or lists that have the values. */
  beside: Both<unknown>
  answers: Both<ComparedAnswer>
  runs: Both<RunFacts>
  /** The calls that were made before. */
  before: ComparedCall[]
}

export type Both<Value> = { peer: Value; ours: Value }

/** What may differ between the answer of a peer and ours, by the path of the value. */
export type IntendedDifference = {
  path: RegExp
  why: string
  holds(difference: Difference): boolean
  /** What makes of a difference that holds one that does not. */
  rejects: Partial<Difference>
}

/** All values that differ in the answers to the calls. */
export function compareRuns(calls: ComparedCall[], peer: Run, ours: Run): Difference[] {
  return calls.flatMap((call, index) => {
    const answers = { peer: peer.answers[index]!, ours: ours.answers[index]! }
    const place = { call, answers, runs: { peer, ours }, before: calls.slice(0, index) }
    return differencesOf(answers, `${call.method} ${call.path.split('?')[0]}`).map((found) => ({ ...place, ...found }))
  })
}

type Found = Pick<Difference, 'path' | 'peer' | 'ours' | 'beside'>

function differencesOf(beside: Both<object>, path: string): Found[] {
  const names = new Set([...Object.keys(beside.peer), ...Object.keys(beside.ours)])
  return Array.from(names).flatMap((name) => {
    // The keys of both are strings.
    const [peer, ours] = [beside.peer, beside.ours].map((one) => (one as Record<string, unknown>)[name])
    const longer = `${path}.${Array.isArray(beside.peer) ? '#' : name}`
    if (isObject(peer) && isObject(ours)) return differencesOf({ peer, ours }, longer)
    return peer === ours ? [] : [{ path: longer, peer, ours, beside }]
  })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

export function intentionOf(intended: IntendedDifference[], found: Difference): IntendedDifference | undefined {
  return intended.find(({ path, holds }) => path.test(found.path) && holds(found))
}

/** For people. */
export function shown({ call, path, peer, ours }: Difference): object {
  const { method, path: asked, body } = call
  return { call: `${method} ${decodeURIComponent(asked)} ${JSON.stringify(body) ?? ''}`, path, peer, ours }
}
