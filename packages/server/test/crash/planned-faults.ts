import { setTimeout as pause } from 'node:timers/promises'
import { isAccepted } from '../support/smtp-client.ts'
import { keysIn, sha256 } from '../support/stored-mail.ts'
import type { CallCounts, CallPlan } from '../support/step-faults.ts'
import { attemptsAt } from './announcer-attempts.ts'
import {
  createSender,
  deleteMessage,
  hasBytes,
  list,
  newMail,
  readRaw,
  waitUpTo,
  type Listed,
  type SentMail,
} from './fault-client.ts'
import { rehearsalsOf, SMALL_BYTES, type MadeCalls, type Pair, type Rehearsal, type Run } from './fault-plans.ts'
import type { FaultReport } from './fault-report.ts'
import type { FaultPort, FaultyProgram } from './faulty-program.ts'

/** What the product does by itself after a mail, and once a minute, has made its calls after this time. */
const BACKGROUND_MS = 1_500
/** The same on a machine that is busier than during the rehearsal. */
const BACKGROUND_MS_MAX = 2 * BACKGROUND_MS
/** Without a call for this time, the product has done what it had to do for the run before. */
const QUIET_MS = 150
const QUIET_MS_MAX = 2_000
/** The announcer looks for due mail this often. */
const TICK_MS = 500
const RETRY_MS = 61_000
/** A fault that lasts ends when the announcer has tried so often to announce the mail, if it is accepted and not announced before. */
const ATTEMPTS_MIN = 3
/** Each attempt takes a tick, or on a busy machine some seconds. */
const HOLD_MS_MAX = 60_000
/** When the fault has gone, everything is there within seconds. */
const RECOVERY_MS_MAX = 60_000
/** A plan whose call was not made runs again this many times at most. */
const MISSES_MAX = 4
const REHEARSALS_EACH = 2
/** Only counts the calls. */
const NO_FAULT: CallPlan = { call: 'none', skip: 0, fault: { when: 'before', kind: 'none' }, lasts: 'once' }

type StoredMail = SentMail & Listed

/** The calls that were made while one was to fail, and how many of them failed. */
type Attempt = { calls: CallCounts; hits: number; isAcknowledged: boolean; announced: Announced }
/** How often the announcer tried during the fault, and whether the mail was waiting when the fault ended. */
type Announced = { attempts: number; isWaiting: boolean }

/** Each program of this process has its own mailboxes, because attempts are counted by mailbox. */
let trials = 0

export type FaultTrial = {
  /** How many calls of each name the run makes. */
  rehearse(rehearsal: Rehearsal): Promise<CallCounts>
  /** Each with one fault. */
  run(runs: Run[]): Promise<void>
  /** Restarts the program and looks at all messages again, then stops it. */
  finish(): Promise<void>
}

export type TrialOptions = {
  /** Of the program. */
  name: string
  report: FaultReport
  recoveryMsMax?: number
  onRun?: () => void
}

/** Runs in one program, one after another. */
export function openTrial(
  program: FaultyProgram,
  { name, report, recoveryMsMax = RECOVERY_MS_MAX, onRun = () => {} }: TrialOptions,
): FaultTrial {
  const kept: StoredMail[] = []
  const deleted: (StoredMail & { deletedIn: string })[] = []
  const sender = createSender(program)
  const trial = trials++
  let rehearsals = 0

  /** Sends a mail while a call fails, and another one afterwards. */
  async function attempt(run: Run, number: string, backgroundMs: number): Promise<Attempt> {
    const port = program.ports[run.side]
    const { fault, lasts } = run.plan
    const about = {
      name: `${name}, ${run.name}, ${fault.kind}, lasts: ${lasts}, run ${number}`,
      number: `${trial}-${number}`,
    }
    const during = newMail({ ...about, tag: 'during' }, run.mailBytes)
    const afterwards = newMail({ ...about, tag: 'afterwards' }, SMALL_BYTES)
    // Not the newest one, which is read.
    const [toDelete] = kept.splice(Math.floor((kept.length - 1) / 2), 1)
    await untilQuiet(port)
    await port.arm(run.plan)
    const reply = await sender.send(during)
    // What people do meanwhile.
    const [deletion] = await Promise.allSettled([
      toDelete ? deleteMessage(program, toDelete.id) : 404,
      ...kept.slice(-1).map(({ id }) => readRaw(program, id)),
      list(program, during.mailbox),
    ])
    program.passTime(RETRY_MS)
    await waitUpTo(backgroundMs, async () => port.hits() > 0)
    if (lasts !== 'once' && port.hits() > 0 && isAccepted(reply)) await untilTried(during.mailbox)
    const { count, isOver } = attemptsAt(during.mailbox)
    const announced = { attempts: count, isWaiting: isAccepted(reply) && !isOver }
    const calls = port.calls()
    await port.heal()
    if (reply.startsWith('5')) report.refusedForGood.push(during.name)
    if (toDelete) await confirmDeletion(toDelete, during.name, deletion.status === 'fulfilled' ? deletion.value : 0)

    const later = await sender.send(afterwards)
    if (!isAccepted(later)) report.refusedAfterwards.push(`${afterwards.name}: ${later}`)
    const accepted = [...(isAccepted(later) ? [afterwards] : []), ...(isAccepted(reply) ? [during] : [])]
    const listed = await settle(during.mailbox, accepted)
    if (!isAccepted(reply) && listed.some(({ tag }) => tag === 'during')) report.unasked++
    kept.push(...accepted.flatMap((mail) => storedOnce(mail, listed)))
    return { calls, hits: port.hits(), isAcknowledged: isAccepted(reply), announced }
  }

  /** Until the announcer has tried often enough while the fault lasts, or has nothing left to announce. */
  async function untilTried(mailbox: string): Promise<void> {
    const pass = passingTime()
    await waitUpTo(HOLD_MS_MAX, async () => {
      pass()
      const { count, isOver } = attemptsAt(mailbox)
      return isOver || count >= ATTEMPTS_MIN
    })
  }

  /** Call it repeatedly: it lets time pass once for each look of the announcer, so that what it retries is due. */
  function passingTime(): () => void {
    let passedAt = performance.now()
    return () => {
      if (performance.now() - passedAt <= TICK_MS) return
      program.passTime(RETRY_MS)
      passedAt = performance.now()
    }
  }

  /** Calls for an earlier mail would shift the positions of those that follow. */
  async function untilQuiet(port: FaultPort): Promise<void> {
    await port.arm(NO_FAULT)
    const until = performance.now() + QUIET_MS_MAX
    let before = -1
    for (;;) {
      const count = Object.values(port.calls()).reduce((sum, calls) => sum + calls, 0)
      if (count === before || performance.now() > until) return
      before = count
      await pause(QUIET_MS)
    }
  }

  /** Deletes it again if the deletion failed. */
  async function confirmDeletion(mail: StoredMail, deletedIn: string, firstStatus: number): Promise<void> {
    let status = firstStatus
    if (status !== 200) {
      await waitUpTo(recoveryMsMax, async () => [200, 404].includes((status = await deleteMessage(program, mail.id))))
    }
    if (status !== 200 && status !== 404) return void report.undeletable.push(`${mail.name}: ${status}`)
    deleted.push({ ...mail, deletedIn })
    report.deleted++
  }

  /** Waits until the API has this mail and notes what is wrong. */
  async function settle(mailbox: string, expected: SentMail[]): Promise<Listed[]> {
    let listed: Listed[] = []
    const pass = passingTime()
    await waitUpTo(recoveryMsMax, async () => {
      pass()
      listed = await list(program, mailbox)
      return expected.every((mail) => listed.some(({ tag }) => tag === mail.tag))
    })
    for (const mail of expected) await judge(mail, listed)
    return listed
  }

  async function judge(mail: SentMail, listed: Listed[]): Promise<void> {
    const found = listed.filter(({ tag }) => tag === mail.tag)
    if (found.length > 1) return void report.doubled.push(mail.name)
    if (found[0]) return judgeBytes(mail, found[0].id)
    const isKept = await hasBytes(program, mail)
    if (isKept) report.unannounced.push(mail.name)
    else report.falselyAcknowledged.push(mail.name)
  }

  async function judgeBytes(mail: SentMail, id: string): Promise<void> {
    let bytes: Uint8Array | null = null
    await waitUpTo(recoveryMsMax, async () => (bytes = await readRaw(program, id)) !== null)
    if (bytes === null) report.unreadable.push(mail.name)
    else if (sha256(bytes) !== mail.hash) report.altered.push(mail.name)
  }

  /** Once its objects are gone, nothing can bring a message back. */
  async function judgeDeleted(): Promise<void> {
    let remaining: string[] = []
    await waitUpTo(recoveryMsMax, async () => {
      const keys = await keysIn(program.bucket())
      remaining = deleted.flatMap(({ name, deletedIn, id }) => {
        const left = keys.filter((key) => key.includes(id))
        return left.length === 0 ? [] : [`${name}, deleted in ${deletedIn}: ${left.join(', ')}`]
      })
      return remaining.length === 0
    })
    report.remaining.push(...remaining)
    for (const mail of deleted) {
      const listed = await list(program, mail.mailbox)
      if (listed.some(({ tag }) => tag === mail.tag)) report.returned.push(mail.name)
    }
  }

  async function runOne(run: Run, number: string): Promise<void> {
    for (let miss = 0; miss < MISSES_MAX; miss++) {
      // Some calls are made by timers, so that more of them come with more time.
      const backgroundMs = BACKGROUND_MS_MAX * (miss + 1)
      const found = await attempt(run, `${number}-${miss}`, backgroundMs)
      if (found.hits > 0) return note(run, found)
    }
    report.missed.push(`${name}, ${run.name}`)
  }

  function note(run: Run, { hits, isAcknowledged, announced }: Attempt): void {
    report.runs++
    report.callsFailed += hits
    report.hit.add(`${name}, ${run.name}`)
    report.placesHit.add(`${name}, ${run.place}`)
    report[isAcknowledged ? 'acknowledged' : 'refused']++
    if (run.plan.lasts === 'once') return
    report.lasting++
    report.attemptsDuringLasting += announced.attempts
    if (!announced.isWaiting) return
    report.lastingUnannounced++
    if (announced.attempts >= ATTEMPTS_MIN) report.lastingTried++
  }

  return {
    rehearse: async ({ run }) => (await attempt(run, `rehearsal-${rehearsals++}`, BACKGROUND_MS)).calls,
    async run(runs) {
      for (const [index, run] of runs.entries()) {
        await runOne(run, String(index))
        onRun()
      }
    },
    async finish() {
      sender.close()
      await program.stop()
      // The sweep deletes what is left of deleted messages a minute later.
      program.passTime(RETRY_MS)
      await program.start()
      for (const mail of kept) await settle(mail.mailbox, [{ ...mail, name: `${mail.name}, after a restart` }])
      report.lookedAtAgain += kept.length
      await judgeDeleted()
      await program.stop()
    },
  }
}

/** The mail with its id, unless it is missing or there twice, which is noted already. */
function storedOnce({ name, mailbox, tag, hash }: SentMail, listed: Listed[]): StoredMail[] {
  const [found, another] = listed.filter((one) => one.tag === tag)
  return found && !another ? [{ name, mailbox, tag, hash, id: found.id }] : []
}

/** The fewest calls of each name in some rehearsals, so that every later run makes as many. */
export async function countCalls(trial: FaultTrial, pair: Pair): Promise<MadeCalls> {
  const made: MadeCalls = { bucket: {}, database: {} }
  const rehearsals = rehearsalsOf(pair)
  // The first mail of a program creates folders, and there is none yet to read and delete.
  await trial.rehearse(rehearsals[0]!)
  for (const rehearsal of Array.from({ length: REHEARSALS_EACH }, () => rehearsals).flat()) {
    const calls = await trial.rehearse(rehearsal)
    const counts = made[rehearsal.run.side]
    for (const call of rehearsal.counted) counts[call] = Math.min(counts[call] ?? Infinity, calls[call] ?? 0)
  }
  return made
}
