import type { Announcement } from '@mailhatch/sdk'
import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import { metadataKey, metadataPrefix, parseMetadataKey } from '../domain/object-keys.ts'
import { isNotReaching, isUnrouted, meansUnreachable, WORKER_FAILED } from '../domain/retry.ts'
import type { AddressRange, TransitAnswer } from '../domain/transit.ts'
import type { Log } from '../observe/log.ts'
import type { Meters } from '../observe/meters.ts'
import type { MailParser } from '../mime/mail-parser.ts'
import type { ParsedMail } from '../mime/parse-mail.ts'
import { isWithin } from './address-counts.ts'
import type { Post, Report } from './announce.ts'
import { announceMail, announceStored, type AnnouncePorts, type StoredOutcome } from './announce-stored.ts'
import { announcementOf, refusalOf, type Metadata } from './metadata.ts'
import { createRecentResults } from './recent-results.ts'
import { createSetAsideReports } from './set-aside-reports.ts'
import { createSuspectTurns } from './suspect-turns.ts'
import { createUnprocessedSearch } from './unprocessed-search.ts'
import type { UnroutedIndex } from './unrouted-index.ts'
import { createWaitingMail } from './waiting-mail.ts'
import { watchReachability } from './reachability.ts'

/** Concurrent posts: enough to fill the API's group commits, few enough not to overload it. */
const IN_FLIGHT_MAX = 64
/** Of these, messages read from the bucket. Each can be 25 MiB and is in memory while it is parsed. */
const READS_IN_FLIGHT_MAX = 4
/** Announcements kept in memory. Beyond this, a mail is read from the bucket when its turn comes. */
const FRESH_CHARACTERS_MAX = 64 * 1024 * 1024
const SEARCH_EVERY_MS = 60_000
/** While the API is unreachable, one mail is announced this often to notice its return. */
const PROBE_EVERY_MS = 5_000
const TICK_MS = 500
/** How long suspects wait for an API that is away, as long as there is other mail. It is restarted in less. */
const OTHERS_FIRST_MS = 10_000
/** How often to look whether all mail has been announced, while none is in flight. */
const LOOK_MS = 5
/** Delay after the bucket failed, or a mail in it could not be read. */
const FAILURE_BACKOFF_MS = 60_000

type Offered = { metadata: Metadata; parsed: ParsedMail }
type Fresh = { metadata: Metadata; announcement: Announcement }

export type Announcer = {
  /** Queues a mail that has just been stored. */
  offer(metadata: Metadata, parsed: ParsedMail): void
  /** Searches for unprocessed mail of earlier runs, then keeps announcing until closed. */
  start(): Promise<void>
  close(): Promise<void>
  /** Announces one mail now, because an operator asked for it; `key` is the key of its unprocessed metadata. */
  announceNow(key: string): Promise<StoredOutcome>
  /** Arrival of the oldest mail that is still retried automatically; null when there is none. */
  oldestWaitingAt(): number | null
  /** Number of known messages that are still retried automatically. */
  waitingCount(): number
  /** Number of messages that are set aside and announced only by an operator. */
  setAsideCount(): number
  /** The mail for these addresses that is not announced yet, or not confirmed. */
  onItsWay(range: AddressRange): Omit<TransitAnswer, 'transactions'>
  /** Resolves when all mail that was offered before this call, or that with these ids, has been announced once, at the latest after this time. */
  caughtUp(withinMs: number, ids?: string[]): Promise<void>
  /** Whether the API has all mail that it can have. */
  isEmpty(): boolean
  /** The known mail that no team claims. */
  unrouted: UnroutedIndex
  /** A sentence for operators while announcements do not reach the API, else null. */
  reachabilityProblem(): string | null
}

type Ports = {
  bucket: Bucket
  parser: Pick<MailParser, 'parse'>
  post: Post
  report: Report
  /** Identifies this worker: stable across restarts and unique among the workers of the bucket. */
  by: string
  /** Whether the run before ended without a clean stop. */
  wasCutOff: boolean
  /** Days after which mail without a team is deleted; null keeps it. */
  refusedMailDays: number | null
  /** Logged for mail that no team claims: what an operator can do about it. */
  unclaimedNotice: string
  meters: Pick<Meters, 'announcementFailed' | 'setAside' | 'refusedRemoved'> | null
  now: () => number
  log: Log
}

/** Announces stored mail to the API at least once, and retries failures that can resolve themselves. */
export function createAnnouncer(given: Ports): Announcer {
  const { bucket, parser, post, report, by, wasCutOff, refusedMailDays, unclaimedNotice, meters, now, log } = given
  const startedAt = now()
  // All keyed by metadata key: unprocessed mail; the queues (just stored, announcement in memory, announcement in the bucket);
  // running attempts.
  const waiting = createWaitingMail({ refusedMailDays, startedAt })
  const offered = new Map<string, Offered>()
  const fresh = new Map<string, Fresh>()
  const stored = new Set<string>()
  const inFlight = new Map<string, Promise<void>>()
  const results = createRecentResults(now)
  const reports = createSetAsideReports({ bucket, report, log, now })
  const reachability = watchReachability(log)
  const turns = createSuspectTurns({
    leastSuspect: results.leastSuspect,
    inFlightCount: () => inFlight.size,
    othersProbe,
  })
  let freshCharacters = 0
  let readsInFlight = 0
  /** When announcements stopped reaching the API, by the monotonic clock; null while they reach it. */
  let unreachableSince: number | null = null
  let probedAt = 0
  let searchedAt = 0
  let searching: Promise<void> | null = null
  /** How much mail was not remembered when the last complete search began; null before the first one has ended. */
  let foundDropped: number | null = null
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const ports: AnnouncePorts = {
    bucket,
    post,
    now,
    parse: async (raw) => parser.parse(await bytesOf(raw)),
    history: {
      by,
      startedAt,
      wasCutOff,
      isFromEarlierRun: ({ lastAttemptAt, receivedAt }) => Date.parse(lastAttemptAt ?? receivedAt) < startedAt,
      isAlone: (metadata) => turns.alone() === metadataKey('unprocessed', metadata),
      noteFailure: (metadata, failure) => results.noteFailure(metadataKey('unprocessed', metadata), failure),
    },
  }

  const search = createUnprocessedSearch({
    bucket,
    waiting,
    isInFlight: (key) => inFlight.has(key),
    isClosed: () => closed,
    onUnreported: reports.add,
    refusedMailDays,
    meters,
    now,
    log,
  })

  /** All work on it follows after the reply to the sender: if the mail blocks or crashes this process, it must not be sent again. */
  function offer(metadata: Metadata, parsed: ParsedMail): void {
    const key = metadataKey('unprocessed', metadata)
    waiting.remember(key, metadata)
    offered.set(key, { metadata, parsed })
    if (offered.size === 1) setImmediate(takeOffered)
  }

  function takeOffered(): void {
    for (const [key, mail] of offered) {
      offered.delete(key)
      prepare(key, mail)
    }
    pump()
  }

  function prepare(key: string, { metadata, parsed }: Offered): void {
    try {
      keepFresh(key, { metadata, announcement: announcementOf(metadata, parsed) })
    } catch (error) {
      // The mail is stored. The attempt from the bucket counts the failure.
      log.error({ err: error, key }, 'a new mail could not be announced')
      stored.add(key)
    }
  }

  function keepFresh(key: string, mail: Fresh): void {
    const characters = charactersOf(mail.announcement)
    if (freshCharacters + characters > FRESH_CHARACTERS_MAX) return void stored.add(key)
    freshCharacters += characters
    fresh.set(key, mail)
  }

  function pump(): void {
    if (closed) return
    const turn = turns.next()
    if (turn === 'nothing') return
    if (turn !== 'others') return startRead(turn.suspect, () => turns.ended(turn.suspect))
    for (const [key, mail] of fresh) {
      if (inFlight.size >= IN_FLIGHT_MAX) return
      fresh.delete(key)
      freshCharacters -= charactersOf(mail.announcement)
      run(key, announceFresh(key, mail))
    }
    for (const key of stored) {
      if (inFlight.size >= IN_FLIGHT_MAX || readsInFlight >= READS_IN_FLIGHT_MAX) return
      stored.delete(key)
      startRead(key)
    }
  }

  /** When the API is away, other mail probes it first: an attempt that does not reach it would only postpone the suspect. */
  function othersProbe(): boolean {
    const isJustAway = unreachableSince !== null && performance.now() - unreachableSince < OTHERS_FIRST_MS
    return isJustAway && waiting.hasOrdinary()
  }

  function startRead(key: string, onDone = () => {}): void {
    readsInFlight++
    const work = announceAgain(key).then(() => {})
    run(
      key,
      work.finally(() => {
        readsInFlight--
        onDone()
      }),
    )
  }

  function run(key: string, work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => {
        log.error({ err: error, key }, 'an announcement failed')
        waiting.postpone(key, now() + FAILURE_BACKOFF_MS)
      })
      .then(() => {
        inFlight.delete(key)
        pump()
      })
    inFlight.set(key, done)
  }

  async function announceFresh(key: string, mail: Fresh): Promise<void> {
    record(key, await announceMail(ports, mail, { mayWait: true }))
  }

  /** Announces from the bucket: mail of an earlier run, that did not fit into memory, or that failed before. */
  async function announceAgain(key: string, isByHand = false): Promise<StoredOutcome> {
    const outcome = await announceStored(ports, key, isByHand)
    record(key, outcome)
    return outcome
  }

  async function announceNow(key: string): Promise<StoredOutcome> {
    // The mail is no longer set aside, so a pending report is obsolete.
    reports.remove(key)
    await reports.finished()
    // Only one post per mail at a time, and none beside one that must be alone.
    while (turns.alone() !== null || inFlight.has(key)) await inFlight.get(turns.alone() ?? key)
    const work = announceAgain(key, true)
    run(
      key,
      work.then(() => {}),
    )
    return work
  }

  function record(key: string, result: StoredOutcome): void {
    if (result.outcome === 'processed') noteSuccess(key)
    else if (result.outcome === 'failed') noteFailure(key, result)
    else if (result.outcome === 'gone') waiting.forget(key)
    else if (result.outcome === 'busy') waiting.postpone(key, result.until)
    else {
      log.error({ key: result.metadata.rawKey }, 'a mail cannot be announced because its raw object is missing')
      waiting.giveUp(key, null)
    }
  }

  function noteSuccess(key: string): void {
    waiting.forget(key)
    results.noteAccepted(key)
    reachability.reached()
    if (unreachableSince === null) return
    // One success means that the API is back: everything that waited for it is due.
    unreachableSince = null
    waiting.wakeAll()
    tick()
  }

  function noteFailure(key: string, { metadata: failed, unrecorded }: StoredOutcome & { outcome: 'failed' }): void {
    if (unrecorded) log.error({ err: unrecorded, key }, 'a failed announcement could not be recorded')
    const refusal = refusalOf(failed)
    // Nothing was sent if the worker failed, or if the mail is set aside because earlier runs ended.
    if (failed.lastError !== null && refusal.code !== WORKER_FAILED) noteReachability(failed)
    waiting.remember(key, failed)
    meters?.announcementFailed(failed.lastStatus)
    const { id, to, attempts, lastStatus, lastError, setAside } = failed
    if (isUnrouted(refusal)) log.info({ id, to, code: refusal.code }, unclaimedNotice)
    // A problem between worker and API is logged once, not for every mail.
    else if (!isNotReaching(refusal)) {
      log.warn({ id, attempts, status: lastStatus, reason: lastError }, 'an announcement was refused')
    }
    if (setAside === null) return
    results.forget(key)
    meters?.setAside()
    log.error({ id, reason: setAside.reason }, 'a mail was set aside and must be retried by an operator')
    reports.add(key, failed)
  }

  function noteReachability(failed: Metadata): void {
    const refusal = refusalOf(failed)
    if (meansUnreachable(refusal)) unreachableSince ??= performance.now()
    // The API itself responded, so it is reachable, but this failure makes no other mail due.
    else if (refusal.code !== null) unreachableSince = null
    reachability.failed(failed)
  }

  function tick(): void {
    const at = now()
    if (unreachableSince !== null && at - probedAt >= PROBE_EVERY_MS) {
      probedAt = at
      waiting.wakeOne(at)
    }
    for (const [key, mail] of waiting.due(at)) {
      const isQueued = offered.has(key) || fresh.has(key)
      if (!isQueued && !inFlight.has(key)) (mail.isSuspect ? turns : stored).add(key)
    }
    pump()
    if (unreachableSince === null) reports.reportDue()
    if (at - searchedAt < SEARCH_EVERY_MS || searching) return
    searchedAt = at
    const dropped = waiting.dropped()
    searching = search
      .run()
      .then((isComplete) => {
        if (isComplete) foundDropped = dropped
      })
      .catch((error: unknown) => log.error({ err: error }, 'searching the bucket for unprocessed mail failed'))
      .finally(() => (searching = null))
  }

  function onItsWay(range: AddressRange): Omit<TransitAnswer, 'transactions'> {
    const { known, setAside } = waiting.within(range)
    const prefix = metadataPrefix('unprocessed', range.domain, range.mailbox)
    const announced = inFlight
      .keys()
      .filter((key) => key.startsWith(prefix))
      .map((key) => waiting.addressOf(key))
      .toArray()
    const ofKnown = announced.filter((address) => address !== null && isWithin(range, address)).length
    // By hand. Its tag is not in its key.
    const byHand = announced.filter((address) => address === null).length
    return { waiting: known - ofKnown, announcing: ofKnown + byHand, setAside, isComplete: isComplete() }
  }

  async function caughtUp(withinMs: number, ids?: string[]): Promise<void> {
    const endsAt = performance.now() + withinMs
    const isAwaited = (key: string) => ids === undefined || ids.includes(parseMetadataKey(key)!.id)
    let keys = [...offered.keys(), ...fresh.keys(), ...inFlight.keys()].filter(isAwaited)
    const isPending = (key: string) => offered.has(key) || fresh.has(key) || stored.has(key) || inFlight.has(key)
    while ((keys = keys.filter(isPending)).length > 0 && !closed && performance.now() < endsAt) {
      const looked = new Promise<void>((resolve) => setTimeout(resolve, LOOK_MS))
      await Promise.race([looked, ...inFlight.values()])
    }
  }

  function isComplete(): boolean {
    return foundDropped !== null && waiting.dropped() === foundDropped
  }

  return {
    offer,
    announceNow,
    async start() {
      timer = setInterval(tick, TICK_MS).unref()
      // Starts the search for mail of earlier runs without waiting: with a lot of unprocessed mail it takes long.
      tick()
    },
    async close() {
      takeOffered()
      closed = true
      clearInterval(timer)
      await searching
      await reports.finished()
      await Promise.all(inFlight.values())
    },
    onItsWay,
    caughtUp,
    isEmpty: () => isComplete() && waiting.count() === 0 && inFlight.size === 0,
    waitingCount: waiting.count,
    setAsideCount: waiting.setAsideCount,
    unrouted: waiting.unrouted,
    oldestWaitingAt: waiting.oldestAt,
    reachabilityProblem: reachability.problem,
  }
}

function charactersOf({ rawContent, plainContent }: Announcement): number {
  // The other fields are small.
  return rawContent.length + plainContent.length + 2_000
}
