import type { Announcement } from '@mailhatch/sdk'
import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import { metadataKey, metadataPrefix, parseMetadataKey } from '../domain/object-keys.ts'
import { meansUnreachable } from '../domain/retry.ts'
import type { Log } from '../log.ts'
import type { MailParser } from '../mime/mail-parser.ts'
import type { Post } from './announce.ts'
import { announceMail, announceStored, type AnnouncePorts, type StoredOutcome } from './announce-stored.ts'
import { findDueAt } from './due.ts'
import { decodeMetadata, type Metadata } from './metadata.ts'

/** Posts under way at once: enough to fill group commits at the other end, few enough not to swamp it. */
const UNDER_WAY_MAX = 64
/** Of these, mails that are read from the bucket: each may be 25 MiB, and is in memory while it is parsed. */
const READ_AGAIN_MAX = 4
/** Announcements kept whole in memory; beyond that a mail is read from the bucket again when its turn comes. */
const FRESH_CHARACTERS_MAX = 64 * 1024 * 1024
/** Mail waiting to be announced that is known by name; more is found by a later look at the bucket. */
const KNOWN_MAX = 100_000
/** Mail that only a person can help, known so as not to be read at every search; more is read again. */
const REFUSED_MAX = 200_000
const SEARCH_EVERY_MS = 60_000
/** While the API cannot be reached, one mail is tried this often, so that its return is noticed soon. */
const PROBE_EVERY_MS = 5_000
const TICK_MS = 500
/** When the bucket itself fails, or a mail in it is broken. */
const TROUBLE_MS = 60_000
const KEYS_PER_PAGE = 1_000

/** One mail that is still to be announced by itself. */
type Waiting = { receivedAt: number; lastAttemptAt: number; dueAt: number }

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
}

type Ports = { bucket: Bucket; parser: Pick<MailParser, 'parse'>; post: Post; now: () => number; log: Log }

/** Announces stored mail to the API, each at least once, and repeats what heals by itself. */
export function createAnnouncer({ bucket, parser, post, now, log }: Ports): Announcer {
  const ports: AnnouncePorts = { bucket, post, now, parse: async (raw) => parser.parse(await bytesOf(raw)) }
  // By the key of their metadata: what waits, what only a person can help, whose turn it is (first in, first out) with
  // the announcement at hand or in the bucket, and what is running.
  const known = new Map<string, Waiting>()
  const refused = new Set<string>()
  const fresh = new Map<string, Fresh>()
  const stored = new Set<string>()
  const underWay = new Map<string, Promise<void>>()
  let freshCharacters = 0
  let readingAgain = 0
  let isUnreachable = false
  let probedAt = 0
  let searchedAt = 0
  let searching: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function offer(metadata: Metadata, announcement: Announcement): void {
    const key = metadataKey('unprocessed', metadata)
    remember(key, metadata)
    const characters = charactersOf(announcement)
    if (freshCharacters + characters > FRESH_CHARACTERS_MAX) stored.add(key)
    else {
      freshCharacters += characters
      fresh.set(key, { metadata, announcement })
    }
    pump()
  }

  function remember(key: string, metadata: Metadata): void {
    const receivedAt = Date.parse(metadata.receivedAt)
    const lastAttemptAt = metadata.lastAttemptAt === null ? 0 : Date.parse(metadata.lastAttemptAt)
    const dueAt = findDueAt(metadata)
    if (dueAt === null) giveUp(key)
    else if (known.size < KNOWN_MAX || known.has(key)) known.set(key, { receivedAt, lastAttemptAt, dueAt })
  }

  function giveUp(key: string): void {
    known.delete(key)
    if (refused.size < REFUSED_MAX) refused.add(key)
  }

  function pump(): void {
    for (const [key, mail] of fresh) {
      if (closed || underWay.size >= UNDER_WAY_MAX) return
      fresh.delete(key)
      freshCharacters -= charactersOf(mail.announcement)
      run(key, announceFresh(key, mail))
    }
    for (const key of stored) {
      if (closed || underWay.size >= UNDER_WAY_MAX || readingAgain >= READ_AGAIN_MAX) return
      stored.delete(key)
      readingAgain++
      run(
        key,
        announceAgain(key)
          .then(() => {})
          .finally(() => readingAgain--),
      )
    }
  }

  function run(key: string, work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => {
        log.error({ err: error, key }, 'an announcement could not be finished')
        const waiting = known.get(key)
        if (waiting) waiting.dueAt = now() + TROUBLE_MS
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
  async function announceAgain(key: string): Promise<StoredOutcome> {
    const outcome = await announceStored(ports, key)
    record(key, outcome)
    return outcome
  }

  async function announceNow(key: string): Promise<StoredOutcome> {
    // One post of a mail at a time.
    while (underWay.has(key)) await underWay.get(key)
    refused.delete(key)
    const work = announceAgain(key)
    run(
      key,
      work.then(() => {}),
    )
    return work
  }

  function record(key: string, result: StoredOutcome): void {
    if (result.outcome === 'processed') noteSuccess(key)
    else if (result.outcome === 'failed') noteFailure(key, result.metadata)
    else if (result.outcome === 'gone') known.delete(key)
    else {
      log.error({ key: result.metadata.rawKey }, 'the raw mail is gone: it cannot be announced')
      giveUp(key)
    }
  }

  function noteSuccess(key: string): void {
    known.delete(key)
    if (!isUnreachable) return
    // One success tells that the API is back: everything that waits for it is due.
    isUnreachable = false
    for (const waiting of known.values()) waiting.dueAt = 0
    tick()
  }

  function noteFailure(key: string, failed: Metadata): void {
    if (meansUnreachable(failed.lastStatus)) isUnreachable = true
    remember(key, failed)
    const { id, attempts, lastStatus, lastError } = failed
    log.warn({ id, attempts, status: lastStatus, reason: lastError }, 'an announcement was refused')
  }

  function tick(): void {
    const at = now()
    if (isUnreachable && at - probedAt >= PROBE_EVERY_MS) probe(at)
    for (const [key, waiting] of known) {
      if (waiting.dueAt <= at && !fresh.has(key) && !underWay.has(key)) stored.add(key)
    }
    pump()
    if (at - searchedAt < SEARCH_EVERY_MS || searching) return
    searchedAt = at
    searching = search()
      .catch((error: unknown) => log.error({ err: error }, 'the bucket could not be searched for unprocessed mail'))
      .finally(() => (searching = null))
  }

  /** Makes due what has not been tried for the longest time. */
  function probe(at: number): void {
    probedAt = at
    let next: Waiting | null = null
    for (const waiting of known.values()) {
      if (next === null || waiting.lastAttemptAt < next.lastAttemptAt) next = waiting
    }
    if (next) next.dueAt = at
  }

  async function search(): Promise<void> {
    let cursor: string | undefined
    do {
      const page = await bucket.list({ prefix: metadataPrefix('unprocessed'), cursor, limit: KEYS_PER_PAGE })
      for (const key of page.keys) if (!known.has(key) && !refused.has(key)) await discover(key)
      cursor = page.cursor ?? undefined
    } while (cursor !== undefined && !closed)
  }

  async function discover(key: string): Promise<void> {
    // People keep other files in folders, too.
    if (parseMetadataKey(key) === null) return
    try {
      const object = await bucket.get(key)
      if (object) remember(key, decodeMetadata(await bytesOf(object)))
    } catch (error) {
      log.error({ err: error, key }, 'the metadata of a mail cannot be read')
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
      await Promise.all(underWay.values())
    },
    waitingCount: () => known.size,
    oldestWaitingAt() {
      return known
        .values()
        .reduce<number | null>((oldest, { receivedAt }) => Math.min(oldest ?? receivedAt, receivedAt), null)
    },
  }
}

function charactersOf({ rawContent, plainContent }: Announcement): number {
  // The rest of an announcement is small.
  return rawContent.length + plainContent.length + 2_000
}
