import { setTimeout as pause } from 'node:timers/promises'
import type { Inbox, Mailhatch, Settled } from '@mailhatch/sdk'
import { numberedRandom, type SeededRandom } from '../support/seeded-random.ts'
import { OpenMail } from './open-mail.ts'

/** A mail around the call: when it begins, how long it takes, how it ends. Times in milliseconds, from the call. */
type PlannedMail = {
  beginsAt: number
  beforeContentMs: number
  beforeEndMs: number
  /** `dropped`: the connection is closed before the reply to the whole mail. */
  end: 'stored' | 'dropped' | 'reset' | 'closed'
  worker: number
  isForOther: boolean
  bytes: number
}

export type Schedule = { quietMs: number; mails: PlannedMail[] }

/** What the sender of a mail knows: times of its own clock. */
export type SentMail = {
  subject: string
  /** When the 250 for the recipient had come. */
  acceptedAt: number
  /** When it began to end the transaction. */
  endedAt: number
  /** When another reader had the message. Null if it did not become one. */
  seenAt: number | null
}

export type ScheduleRun = {
  schedule: Schedule
  calledAt: number
  returnedAt: number
  settled: Pick<Settled, 'asOf' | 'messages' | 'count'>
  mails: SentMail[]
}

export type Senders = { sdk: Mailhatch; smtpPorts: number[] }

const SPOOLED_BYTES = 1_200_000

export function randomSchedule(seed: number, number: number): Schedule {
  const random = numberedRandom(seed, number)
  const quietMs = random.pick([0, 20, 100, 200])
  return { quietMs, mails: Array.from({ length: random.below(5) }, () => randomMail(random, quietMs)) }
}

function randomMail(random: SeededRandom, quietMs: number): PlannedMail {
  const shortMs = () => (random.chance(0.5) ? random.below(5) : random.below(150))
  return {
    // Most begin shortly before the call, or at the end of the quiet time.
    beginsAt: random.chance(0.5) ? random.below(250) - 200 : quietMs + random.below(80) - 40,
    beforeContentMs: shortMs(),
    beforeEndMs: shortMs(),
    end: random.pick(['stored', 'stored', 'stored', 'dropped', 'reset', 'closed']),
    worker: random.below(100),
    isForOther: random.chance(0.15),
    bytes: random.chance(0.05) ? SPOOLED_BYTES : 10,
  }
}

async function runSchedule(
  { sdk, smtpPorts }: Senders,
  schedule: Schedule,
  seenAt: (subject: string) => Promise<number>,
): Promise<ScheduleRun> {
  const inbox = await sdk.addresses.create()
  const other = await sdk.addresses.create()
  const earliest = Math.min(0, ...schedule.mails.map(({ beginsAt }) => beginsAt))
  const callAt = performance.now() - earliest
  const sending = schedule.mails.map(async (mail, index) => {
    await pause(Math.max(0, callAt + mail.beginsAt - performance.now()))
    const to = mail.isForOther ? other : inbox
    return send(smtpPorts[mail.worker % smtpPorts.length]!, to, mail, `${to.address} ${index}`)
  })
  await pause(Math.max(0, callAt - performance.now()))
  const calledAt = Date.now()
  const settled = await inbox.settled({ quiet: schedule.quietMs, timeout: 60_000 })
  const returnedAt = Date.now()
  const sent = await Promise.all(sending)
  const stored = new Set((await inbox.settled({ quiet: 0, timeout: 60_000 })).messages.map(({ subject }) => subject))
  const mails: SentMail[] = []
  for (const [index, mail] of sent.entries()) {
    const { isForOther, end } = schedule.mails[index]!
    if (isForOther) continue
    if (end === 'stored' && !stored.has(mail.subject)) throw new Error(`${mail.subject} was lost.`)
    mails.push({ ...mail, seenAt: stored.has(mail.subject) ? await seenAt(mail.subject) : null })
  }
  return { schedule, calledAt, returnedAt, settled, mails }
}

async function send(
  port: number,
  { address }: Inbox,
  mail: PlannedMail,
  subject: string,
): Promise<Omit<SentMail, 'seenAt'>> {
  const open = await OpenMail.begin(port, address)
  const acceptedAt = Date.now()
  await pause(mail.beforeContentMs)
  // A reset is possible only before the content.
  if (mail.end !== 'reset') await open.startContent(subject, mail.bytes)
  await pause(mail.beforeEndMs)
  const endedAt = Date.now()
  if (mail.end === 'stored') await open.finish()
  if (mail.end === 'dropped') await open.drop()
  if (mail.end === 'reset') await open.say('RSET')
  open.close()
  return { subject, acceptedAt, endedAt }
}

/** Mail that was on its way when all mail was said to have arrived, and that is not among what came. */
export function overlooked({
  settled,
  mails,
  returnedAt,
}: Pick<ScheduleRun, 'settled' | 'mails' | 'returnedAt'>): SentMail[] {
  const asOf = Date.parse(settled.asOf)
  const came = new Set(settled.messages.map(({ subject }) => subject))
  return mails.filter(({ subject, acceptedAt, endedAt, seenAt }) => {
    if (acceptedAt >= asOf) return false
    return seenAt === null ? endedAt > returnedAt : !came.has(subject)
  })
}

/** By how many milliseconds the response was later than it had to be, without the time in which this process stood still. */
export function lateMs({ schedule: { quietMs }, calledAt, returnedAt, mails }: ScheduleRun, stalls: Stall[]): number {
  let neededAt = calledAt + quietMs
  for (const { acceptedAt, endedAt, seenAt } of mails.toSorted((one, next) => one.acceptedAt - next.acceptedAt)) {
    if (acceptedAt > neededAt + LATE_MS_MAX) break
    neededAt = Math.max(neededAt, seenAt === null ? endedAt : seenAt + quietMs)
  }
  const stalledMs = stalls
    .map(({ from, to }) => Math.min(to, returnedAt) - Math.max(from, neededAt))
    .reduce((sum, ms) => sum + Math.max(0, ms), 0)
  return returnedAt - neededAt - stalledMs
}

/** A time in which a timer of this process was due, and did not run. */
export type Stall = { from: number; to: number }

const TICK_MS = 5

function watchStalls(): { stalls: Stall[]; stop(): void } {
  const stalls: Stall[] = []
  let last = Date.now()
  const timer = setInterval(() => {
    const now = Date.now()
    if (now > last + 2 * TICK_MS) stalls.push({ from: last + TICK_MS, to: now })
    last = now
  }, TICK_MS)
  return { stalls, stop: () => clearInterval(timer) }
}

/** Reads all messages of the team as they arrive. */
function watchArrivals(sdk: Mailhatch) {
  const ending = new AbortController()
  const seen = new Map<string, PromiseWithResolvers<number>>()
  function arrival(subject: string): PromiseWithResolvers<number> {
    const known = seen.get(subject) ?? Promise.withResolvers<number>()
    seen.set(subject, known)
    return known
  }
  async function follow(): Promise<void> {
    const { cursor } = await sdk.me()
    const stream = sdk.messages.stream({ after: cursor }, { signal: ending.signal })
    for await (const { subject } of stream) arrival(subject).resolve(Date.now())
  }
  const following = follow().catch((error: unknown) => {
    if (!ending.signal.aborted) throw error
  })
  return {
    seenAt: (subject: string) => arrival(subject).promise,
    async stop() {
      ending.abort()
      await following
    },
  }
}

export const LATE_MS_MAX = 200

/** Runs schedules, some at a time. */
export async function runSchedules(
  senders: Senders,
  { seed, count, atOnce }: { seed: number; count: number; atOnce: number },
): Promise<{ runs: ScheduleRun[]; stalls: Stall[] }> {
  const runs: ScheduleRun[] = []
  const arrivals = watchArrivals(senders.sdk)
  const { stalls, stop } = watchStalls()
  let next = 0
  async function runNext(): Promise<void> {
    while (next < count) runs.push(await runSchedule(senders, randomSchedule(seed, next++), arrivals.seenAt))
  }
  await Promise.all(Array.from({ length: atOnce }, runNext))
  await arrivals.stop()
  stop()
  return { runs, stalls }
}
