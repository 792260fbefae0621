import type { Announcement } from '@mailhatch/sdk'
import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import { metadataKey } from '../domain/object-keys.ts'
import { isNotReaching, meansUnreachable } from '../domain/retry.ts'
import type { Log } from '../log.ts'
import type { Meters } from '../meters.ts'
import type { MailParser } from '../mime/mail-parser.ts'
import type { Post, Report } from './announce.ts'
import { announceMail, announceStored, type AnnouncePorts, type StoredOutcome } from './announce-stored.ts'
import { refusalOf, type Metadata } from './metadata.ts'
import { createRecentResults } from './recent-results.ts'
import { reportSetAside } from './report-set-aside.ts'
import { createUnprocessedSearch } from './unprocessed-search.ts'
import { createWaitingMail } from './waiting-mail.ts'
import { watchWay } from './way.ts'

/** Posts under way at once: enough to fill group commits at the other end, few enough not to swamp it. */
const UNDER_WAY_MAX = 64
/** Of these, mails that are read from the bucket: each may be 25 MiB, and is in memory while it is parsed. */
const READ_AGAIN_MAX = 4
/** Announcements kept whole in memory; beyond that a mail is read from the bucket again when its turn comes. */
const FRESH_CHARACTERS_MAX = 64 * 1024 * 1024
const SEARCH_EVERY_MS = 60_000
/** While the API cannot be reached, one mail is tried this often, so that its return is noticed soon. */
const PROBE_EVERY_MS = 5_000
const TICK_MS = 500
/** When the API did not hear of a mail that was set aside. */
const REPORT_AGAIN_MS = 5_000
/** When the bucket itself fails, or a mail in it is broken. */
const TROUBLE_MS = 60_000
/** A mail that may have ended the program waits so long after a start, so that all other mail comes first. */
const SUSPECTS_AFTER_MS = 5_000

type Fresh = { metadata: Metadata; announcement: Announcement }

export type Announcer = {
  /** A mail that has just been stored. */
  offer(metadata: Metadata, announcement: Announcement): void
  /** Looks for unprocessed mail of an earlier run, then goes on until closed. */
  start(): Promise<void>
  close(): Promise<void>
  /** At once, whatever is known of it, because a person asks; `key` is that of its unprocessed metadata. */
  announceNow(key: string): Promise<StoredOutcome>
  /** Arrival of the oldest mail that is still to be announced by itself; null when there is none. */
  oldestWaitingAt(): number | null
  /** How many are still to be announced by themselves, as far as they are known. */
  waitingCount(): number
  /** How many are announced only by hand, because they failed by their own doing. */
  setAsideCount(): number
  /** A sentence for operators while announcements do not get to the API, else null. */
  wayTrouble(): string | null
}

type Ports = {
  bucket: Bucket
  parser: Pick<MailParser, 'parse'>
  post: Post
  report: Report
  /** Names this worker: the same after a restart, and no other's that runs on the same bucket. */
  by: string
  /** After so many days, mail that no team wants goes; null keeps it. */
  refusedMailDays: number | null
  meters: Pick<Meters, 'announcementFailed' | 'setAside' | 'refusedRemoved'> | null
  now: () => number
  log: Log
}

/** Announces stored mail to the API, each at least once, and repeats what heals by itself. */
export function createAnnouncer(given: Ports): Announcer {
  const { bucket, parser, post, report, by, refusedMailDays, meters, now, log } = given
  const startedAt = now()
  const upSince = performance.now()
  // By the key of their metadata: what is unprocessed, whose turn it is (first in, first out) with the announcement at
  // hand or in the bucket, whose turn it is alone, and what is running.
  const waiting = createWaitingMail(refusedMailDays)
  const fresh = new Map<string, Fresh>()
  const stored = new Set<string>()
  const suspects = new Set<string>()
  const underWay = new Map<string, Promise<void>>()
  const unreported = new Map<string, Metadata>()
  const results = createRecentResults(now)
  const way = watchWay(log)
  let freshCharacters = 0
  let readingAgain = 0
  let isSuspectUnderWay = false
  let isUnreachable = false
  let probedAt = 0
  let searchedAt = 0
  let searching: Promise<void> | null = null
  let reporting: Promise<void> | null = null
  let reportFrom = 0
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const ports: AnnouncePorts = {
    bucket,
    post,
    now,
    parse: async (raw) => parser.parse(await bytesOf(raw)),
    tries: {
      by,
      startedAt,
      isOfEarlierRun: ({ lastAttemptAt, receivedAt }) => Date.parse(lastAttemptAt ?? receivedAt) < startedAt,
      noteFailure: (metadata, failure) => results.noteFailure(metadataKey('unprocessed', metadata), failure),
    },
  }

  const search = createUnprocessedSearch({
    bucket,
    waiting,
    isUnderWay: (key) => underWay.has(key),
    isClosed: () => closed,
    onUnreported: (key, metadata) => unreported.set(key, metadata),
    refusedMailDays,
    meters,
    now,
    log,
  })

  function offer(metadata: Metadata, announcement: Announcement): void {
    const key = metadataKey('unprocessed', metadata)
    waiting.remember(key, metadata)
    const characters = charactersOf(announcement)
    if (freshCharacters + characters > FRESH_CHARACTERS_MAX) stored.add(key)
    else {
      freshCharacters += characters
      fresh.set(key, { metadata, announcement })
    }
    pump()
  }

  function pump(): void {
    for (const [key, mail] of fresh) {
      if (closed || underWay.size >= UNDER_WAY_MAX) return
      fresh.delete(key)
      freshCharacters -= charactersOf(mail.announcement)
      run(key, announceFresh(key, mail))
    }
    for (const key of stored) {
      if (!hasRoomToRead()) return
      stored.delete(key)
      readAgain(key)
    }
    const [suspect] = suspects
    const isTooSoon = performance.now() - upSince < SUSPECTS_AFTER_MS
    if (suspect === undefined || isSuspectUnderWay || isTooSoon || !hasRoomToRead()) return
    suspects.delete(suspect)
    isSuspectUnderWay = true
    readAgain(suspect, () => (isSuspectUnderWay = false))
  }

  function hasRoomToRead(): boolean {
    return !closed && underWay.size < UNDER_WAY_MAX && readingAgain < READ_AGAIN_MAX
  }

  function readAgain(key: string, onDone = () => {}): void {
    readingAgain++
    const work = announceAgain(key).finally(() => {
      readingAgain--
      onDone()
    })
    run(
      key,
      work.then(() => {}),
    )
  }

  function run(key: string, work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => {
        log.error({ err: error, key }, 'an announcement could not be finished')
        waiting.postpone(key, now() + TROUBLE_MS)
      })
      .then(() => {
        underWay.delete(key)
        pump()
      })
    underWay.set(key, done)
  }

  async function announceFresh(key: string, mail: Fresh): Promise<void> {
    record(key, await announceMail(ports, mail))
  }

  /** From the bucket: mail of an earlier run, or that did not fit into memory, or that failed before. */
  async function announceAgain(key: string, isByHand = false): Promise<StoredOutcome> {
    const outcome = await announceStored(ports, key, isByHand)
    record(key, outcome)
    return outcome
  }

  async function announceNow(key: string): Promise<StoredOutcome> {
    // What is to be reported of it is no longer so.
    unreported.delete(key)
    await reporting
    // One post of a mail at a time.
    while (underWay.has(key)) await underWay.get(key)
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
      log.error({ key: result.metadata.rawKey }, 'the raw mail is gone: it cannot be announced')
      waiting.giveUp(key, null)
    }
  }

  function noteSuccess(key: string): void {
    waiting.forget(key)
    results.noteTaken(key)
    way.taken()
    if (!isUnreachable) return
    // One success tells that the API is back: everything that waits for it is due.
    isUnreachable = false
    waiting.wakeAll()
    tick()
  }

  function noteFailure(key: string, { metadata: failed, unrecorded }: StoredOutcome & { outcome: 'failed' }): void {
    if (unrecorded) log.error({ err: unrecorded, key }, 'a failed announcement could not be recorded')
    const refusal = refusalOf(failed)
    if (meansUnreachable(refusal)) isUnreachable = true
    // The API has answered, though not as hoped: nothing that waits is due for that.
    else if (refusal.code !== null) isUnreachable = false
    way.failed(failed)
    waiting.remember(key, failed)
    meters?.announcementFailed(failed.lastStatus)
    const { id, attempts, lastStatus, lastError, setAside } = failed
    // What is wrong with the way is logged once, not for each mail.
    if (!isNotReaching(refusal)) {
      log.warn({ id, attempts, status: lastStatus, reason: lastError }, 'an announcement was refused')
    }
    if (setAside === null) return
    results.forget(key)
    meters?.setAside()
    log.error({ id, reason: setAside.reason }, 'a mail was set aside: it is announced again only by hand')
    unreported.set(key, failed)
  }

  function tick(): void {
    const at = now()
    if (isUnreachable && at - probedAt >= PROBE_EVERY_MS) {
      probedAt = at
      waiting.wakeOne(at)
    }
    for (const [key, { isSuspect }] of waiting.due(at)) {
      if (!fresh.has(key) && !underWay.has(key)) (isSuspect ? suspects : stored).add(key)
    }
    pump()
    if (unreported.size > 0 && !isUnreachable && at >= reportFrom) {
      reporting ??= reportAll().finally(() => (reporting = null))
    }
    if (at - searchedAt < SEARCH_EVERY_MS || searching) return
    searchedAt = at
    searching = search
      .run()
      .catch((error: unknown) => log.error({ err: error }, 'the bucket could not be searched for unprocessed mail'))
      .finally(() => (searching = null))
  }

  /** Until the API does not hear one; that one then comes last. After a restart, the search finds what was not heard. */
  async function reportAll(): Promise<void> {
    for (const [key, metadata] of unreported) {
      unreported.delete(key)
      if (await reportSetAside({ bucket, report, log }, metadata)) continue
      unreported.set(key, metadata)
      reportFrom = now() + REPORT_AGAIN_MS
      return
    }
  }

  return {
    offer,
    announceNow,
    async start() {
      timer = setInterval(tick, TICK_MS).unref()
      // Looks for what an earlier run left, too. Nobody waits for that: where much lies unprocessed, it takes long.
      tick()
    },
    async close() {
      closed = true
      clearInterval(timer)
      await searching
      await reporting
      await Promise.all(underWay.values())
    },
    waitingCount: waiting.count,
    setAsideCount: waiting.setAsideCount,
    oldestWaitingAt: waiting.oldestAt,
    wayTrouble: way.trouble,
  }
}

function charactersOf({ rawContent, plainContent }: Announcement): number {
  // The rest of an announcement is small.
  return rawContent.length + plainContent.length + 2_000
}
