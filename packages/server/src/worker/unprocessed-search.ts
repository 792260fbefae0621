import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import { metadataPrefix, parseMetadataKey } from '../domain/object-keys.ts'
import type { Log } from '../observe/log.ts'
import type { Meters } from '../observe/meters.ts'
import { decodeMetadata, type Metadata } from './metadata.ts'
import { removeIfRefused } from './refused-mail.ts'
import type { WaitingMail } from './waiting-mail.ts'

const KEYS_PER_PAGE = 1_000
/** Refused messages deleted per search. With a remote bucket this takes about a minute. */
const REMOVALS_MAX = 1_000

type Ports = {
  bucket: Pick<Bucket, 'get' | 'list' | 'remove'>
  waiting: WaitingMail
  isInFlight: (key: string) => boolean
  isClosed: () => boolean
  /** Called for a set-aside mail that the API does not know about. */
  onUnreported: (key: string, metadata: Metadata) => void
  refusedMailDays: number | null
  meters: Pick<Meters, 'refusedRemoved'> | null
  now: () => number
  log: Log
}

/** Searches the bucket for unknown unprocessed mail, and deletes refused mail that has expired. */
export function createUnprocessedSearch(ports: Ports) {
  const { bucket, waiting, isInFlight, isClosed, onUnreported, refusedMailDays: days, meters, now, log } = ports

  /** Null if it is gone, `unread` if it could not be read. */
  async function read(key: string): Promise<Uint8Array | 'unread' | null> {
    try {
      const object = await bucket.get(key)
      return object && (await bytesOf(object))
    } catch (error) {
      log.error({ err: error, key }, 'the metadata of a mail could not be read')
      return 'unread'
    }
  }

  /** False if it could not be read, and has to be looked at again. */
  async function discover(key: string): Promise<boolean> {
    // A bucket folder may contain unrelated files.
    if (parseMetadataKey(key) === null) return true
    const bytes = await read(key)
    if (bytes === 'unread') return false
    if (bytes !== null) remember(key, bytes)
    return true
  }

  function remember(key: string, bytes: Uint8Array): void {
    try {
      const metadata = decodeMetadata(bytes)
      // The mail may have arrived or been announced while its metadata was read.
      if (isInFlight(key) || waiting.isKnown(key)) return
      waiting.remember(key, metadata)
      if (metadata.setAside?.isReported === false) onUnreported(key, metadata)
    } catch (error) {
      log.error({ err: error, key }, 'the metadata of a mail is not valid')
    }
  }

  async function removeRefused(): Promise<void> {
    let removed = 0
    for (const key of waiting.removable(now()).take(REMOVALS_MAX).toArray()) {
      if (isClosed()) break
      if (isInFlight(key)) continue
      try {
        if (await removeIfRefused({ bucket, days, now }, key)) removed++
      } catch (error) {
        log.error({ err: error, key }, 'deleting refused mail failed')
      }
      waiting.forget(key)
    }
    if (removed === 0) return
    meters?.refusedRemoved(removed)
    log.info({ removed, days }, 'deleted refused mail')
  }

  return {
    /** Whether all of it was read. */
    async run(): Promise<boolean> {
      let cursor: string | undefined
      let isComplete = true
      do {
        const page = await bucket.list({ prefix: metadataPrefix('unprocessed'), cursor, limit: KEYS_PER_PAGE })
        for (const key of page.keys) if (!waiting.isKnown(key) && !(await discover(key))) isComplete = false
        cursor = page.cursor ?? undefined
      } while (cursor !== undefined && !isClosed())
      await removeRefused()
      return isComplete && cursor === undefined
    },
  }
}
