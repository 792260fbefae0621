import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Mailhatch } from '@mailhatch/sdk'
import { percentile } from '../../../../bench/statistics.ts'
import { startSender, subjectOf, type Attempt, type SenderReport } from './paced-sender.ts'
import { HostAway } from './stolen-time.ts'

/** For every stream to receive its first mail, on a busy machine. */
const FIRST_MAILS_MS_MAX = 300_000
/** How long a wait may take, unless the caller says otherwise. */
const PATIENCE_MS = 60_000
const LOOK_MS = 50
/** One wait in so many has no cursor. */
const WITHOUT_CURSOR_ONE_IN = 10
/** The first problems of a kind are enough to find their cause. */
const SHOWN_MAX = 5

export type LoadOptions = {
  url: string
  apiKey: string
  smtpPort: number
  domain: string
  mailsPerSecond: number
  /** How long the rate takes to rise to `mailsPerSecond`. */
  riseSeconds?: number
  /** Open at any time. Each waits for the tag of its own mail. */
  waits: number
  /** Each follows its own mailbox. */
  streams: number
  /** Whether the report names the accepted mails, to compare them with the stored ones. */
  namesAccepted?: boolean
  /** The timeout of a wait. By default that of the SDK. */
  waitMs?: number
  /** After the last mail. What a wait or a stream has not seen by then is missing. */
  patienceMs?: number
}

export type LoadReport = SenderReport & {
  acceptedSubjects: string[]
  waitsAnswered: number
  /** Waits that threw or returned another mail. */
  waitsFailed: number
  /** Mails that streams received. */
  streamed: number
  /** Received twice, or never sent. */
  doubledInStreams: number
  missingInStreams: number
  /** Received after a later one of the same stream. */
  disorderedInStreams: number
  streamsFailed: number
  /** Streams that received at least one mail. */
  streamsUsed: number
  /** Requests of the SDK that were answered with 503. It repeats them. */
  unavailable: number
  /** From the moment when a mail is due to the response of its wait, if it was accepted at the first attempt. */
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** The same of the mails that were due while the host of the machine took little processor time away: see stolen-time.ts. */
  undisturbed: { mails: number; p99Ms: number }
  /** The first problems of each kind. */
  shown: string[]
}

type Pending = { isAccepted: boolean; isStreamed: boolean }

/**
 * Mails at a fixed rate, of which each answers one wait and appears in one stream, through the SDK with its default
 * settings, except for `waitMs`. Resolves when every stream has received a mail: until it is connected, a stream reports that the server is away.
 */
export async function startLoad(options: LoadOptions) {
  const { domain, waits, streams, patienceMs = PATIENCE_MS } = options
  const sdk = new Mailhatch({ url: options.url, apiKey: options.apiKey, fetch: countingFetch })
  const mailboxOf = (number: number) => `app${number % streams}`
  const tagOf = (number: number) => `t${number}`
  /** By subject, until the mail is accepted and was in its stream. */
  const pending = new Map<string, Pending>()
  const latenciesMs: number[] = []
  /** When each of them began. */
  const begunAt: number[] = []
  const host = new HostAway()
  const acceptedSubjects: string[] = []
  const shown: string[] = []
  const counts = {
    waitsAnswered: 0,
    waitsFailed: 0,
    streamed: 0,
    doubledInStreams: 0,
    disorderedInStreams: 0,
    streamsFailed: 0,
    unavailable: 0,
  }
  const usedStreams = new Set<string>()
  const dueAt = new Map<number, number>()
  const acceptedAt = new Map<number, number>()
  const openWaits = new Map<number, { over: Promise<void>; abandoning: AbortController }>()
  const waitOptions = options.waitMs === undefined ? {} : { timeout: options.waitMs }
  const ending = new AbortController()
  // Hundreds of streams listen to it. A wait has its own signal: to listen takes longer the more others do.
  setMaxListeners(0, ending.signal)
  /** Mails from this number on are never sent. */
  let end = Infinity
  /** A test takes a cursor before it triggers its mail. */
  let newest = (await sdk.me()).cursor

  async function countingFetch(...request: Parameters<typeof fetch>): Promise<Response> {
    const response = await fetch(...request)
    if (response.status === 503) counts.unavailable++
    return response
  }

  function show(problem: string): void {
    if (shown.length < SHOWN_MAX) shown.push(problem)
  }

  function openWait(number: number): void {
    const abandoning = new AbortController()
    openWaits.set(number, { over: wait(number, abandoning.signal), abandoning })
  }

  async function wait(number: number, signal: AbortSignal): Promise<void> {
    try {
      const isForAny = number % WITHOUT_CURSOR_ONE_IN === 0
      const filter = { mailbox: mailboxOf(number), tag: tagOf(number), ...(!isForAny && { after: newest }) }
      const email = await sdk.messages.waitFor(filter, { ...waitOptions, signal })
      if (email.tag !== tagOf(number)) throw new Error(`The wait for ${number} returned ${email.subject}.`)
      counts.waitsAnswered++
      newest = laterOf(newest, email.cursor)
      const due = dueAt.get(number)
      if (due === undefined) return
      begunAt.push(due)
      latenciesMs.push(performance.now() - due)
    } catch (error) {
      if (signal.aborted || number >= end) return
      counts.waitsFailed++
      const accepted = acceptedAt.get(number)
      const since = accepted === undefined ? 'not accepted yet' : `accepted ${performance.now() - accepted} ms before`
      show(`wait ${number}, whose mail was ${since}: ${String(error)}`)
    } finally {
      dueAt.delete(number)
      acceptedAt.delete(number)
      openWaits.delete(number)
    }
  }

  async function follow(mailbox: string, after: string): Promise<void> {
    let last = 0
    try {
      for await (const { subject, cursor } of sdk.messages.stream({ mailbox, after }, { signal: ending.signal })) {
        counts.streamed++
        usedStreams.add(mailbox)
        const position = positionOf(cursor)
        if (position <= last) counts.disorderedInStreams++
        last = Math.max(last, position)
        const mail = pending.get(subject)
        if (!mail || mail.isStreamed) {
          counts.doubledInStreams++
          show(`stream ${mailbox} received again: ${subject}`)
        } else {
          mail.isStreamed = true
          settle(subject, mail)
        }
      }
    } catch (error) {
      if (ending.signal.aborted) return
      counts.streamsFailed++
      show(`stream ${mailbox}: ${String(error)}`)
    }
  }

  function settle(subject: string, { isAccepted, isStreamed }: Pending): void {
    if (isAccepted && isStreamed) pending.delete(subject)
  }

  function onSending(attempt: Attempt): void {
    const { number } = attempt
    const subject = subjectOf(attempt)
    if (!pending.has(subject)) pending.set(subject, { isAccepted: false, isStreamed: false })
    // A later attempt says nothing about how soon a mail is readable.
    if (attempt.attempt === 1) dueAt.set(number, attempt.dueAt)
    else dueAt.delete(number)
    // The next wait is opened long before its mail.
    if (!openWaits.has(number + waits) && attempt.attempt === 1) openWait(number + waits)
  }

  function onAccepted(attempt: Attempt): void {
    const subject = subjectOf(attempt)
    if (openWaits.has(attempt.number)) acceptedAt.set(attempt.number, performance.now())
    if (options.namesAccepted) acceptedSubjects.push(subject)
    const mail = pending.get(subject)
    if (!mail) return
    mail.isAccepted = true
    settle(subject, mail)
  }

  const following = Array.from({ length: streams }, (_, number) => follow(mailboxOf(number), newest))
  for (let number = 0; number < waits; number++) openWait(number)
  const sender = startSender({
    smtpPort: options.smtpPort,
    mailsPerSecond: options.mailsPerSecond,
    riseSeconds: options.riseSeconds ?? 0,
    addressOf: (number) => `${mailboxOf(number)}+${tagOf(number)}@${domain}`,
    onSending,
    onAccepted,
  })

  const firstDeadline = performance.now() + FIRST_MAILS_MS_MAX
  while (usedStreams.size < streams) {
    if (performance.now() > firstDeadline)
      throw new Error(`${usedStreams.size} of ${streams} streams have received mail.`)
    await sleep(LOOK_MS)
  }

  /** Stops sending, then waits until everything that was accepted has been seen. */
  async function stop(): Promise<LoadReport> {
    const sent = await sender.stop()
    end = sender.begun()
    const missing = () => [...pending.values()].filter((mail) => mail.isAccepted && !mail.isStreamed).length
    const isWaiting = () => [...openWaits.keys()].some((number) => number < end)
    const deadline = performance.now() + patienceMs
    while ((missing() > 0 || isWaiting()) && performance.now() < deadline) await sleep(LOOK_MS)
    const waitsUnanswered = [...openWaits.keys()].filter((number) => number < end).length
    // The waits whose mail was never sent end here.
    ending.abort()
    const left = Array.from(openWaits.values())
    for (const { abandoning } of left) abandoning.abort()
    await Promise.all([...following, ...left.map(({ over }) => over)])
    host.close()
    const undisturbed = latenciesMs.filter((_, index) => host.wasThere(begunAt[index]!))
    return {
      ...sent,
      ...counts,
      waitsFailed: counts.waitsFailed + waitsUnanswered,
      missingInStreams: missing(),
      streamsUsed: usedStreams.size,
      acceptedSubjects,
      p50Ms: percentileOrNone(latenciesMs, 50),
      p99Ms: percentileOrNone(latenciesMs, 99),
      maxMs: latenciesMs.reduce((most, ms) => Math.max(most, ms), 0),
      undisturbed: { mails: undisturbed.length, p99Ms: percentileOrNone(undisturbed, 99) },
      shown,
    }
  }

  return { stop }
}

function positionOf(cursor: string): number {
  return Number.parseInt(cursor.slice(1), 36)
}

function laterOf(one: string, other: string): string {
  return positionOf(one) >= positionOf(other) ? one : other
}

function percentileOrNone(values: number[], percent: number): number {
  return values.length === 0 ? Infinity : percentile(values, percent)
}
