import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import { metadataPrefix, parseMetadataKey } from '../domain/object-keys.ts'
import type { Log } from '../log.ts'
import type { Meters } from '../meters.ts'
import { decodeMetadata, type Metadata } from './metadata.ts'
import { removeIfRefused } from './refused-mail.ts'
import type { WaitingMail } from './waiting-mail.ts'

const KEYS_PER_PAGE = 1_000
/** Refused mail that one search removes: a bucket far away takes about a minute for as many. */
const REMOVALS_MAX = 1_000

type Ports = {
  bucket: Pick<Bucket, 'get' | 'list' | 'remove'>
  waiting: WaitingMail
  isUnderWay: (key: string) => boolean
  isClosed: () => boolean
  /** A mail that was set aside, which the API has not heard of. */
  onUnreported: (key: string, metadata: Metadata) => void
  refusedMailDays: number | null
  meters: Pick<Meters, 'refusedRemoved'> | null
  now: () => number
  log: Log
}

/** Looks through the bucket for unprocessed mail that is not known yet, and removes refused mail that may go. */
export function createUnprocessedSearch(ports: Ports) {
  const { bucket, waiting, isUnderWay, isClosed, onUnreported, refusedMailDays: days, meters, now, log } = ports

  async function discover(key: string): Promise<void> {
    // People keep other files in folders, too.
    if (parseMetadataKey(key) === null) return
    try {
      const object = await bucket.get(key)
      if (!object) return
      const metadata = decodeMetadata(await bytesOf(object))
      // It may have come, or been tried, while it was read.
      if (isUnderWay(key) || waiting.isKnown(key)) return
      waiting.remember(key, metadata)
      if (metadata.setAside?.isReported === false) onUnreported(key, metadata)
    } catch (error) {
      log.error({ err: error, key }, 'the metadata of a mail cannot be read')
    }
  }

  async function removeRefused(): Promise<void> {
    let removed = 0
    for (const key of waiting.removable(now()).take(REMOVALS_MAX).toArray()) {
      if (isClosed()) break
      if (isUnderWay(key)) continue
      try {
        if (await removeIfRefused({ bucket, days, now }, key)) removed++
      } catch (error) {
        log.error({ err: error, key }, 'refused mail could not be removed')
      }
      waiting.forget(key)
    }
    if (removed === 0) return
    meters?.refusedRemoved(removed)
    log.info({ removed, days }, 'refused mail was removed')
  }

  return {
    async run(): Promise<void> {
      let cursor: string | undefined
      do {
        const page = await bucket.list({ prefix: metadataPrefix('unprocessed'), cursor, limit: KEYS_PER_PAGE })
        for (const key of page.keys) if (!waiting.isKnown(key)) await discover(key)
        cursor = page.cursor ?? undefined
      } while (cursor !== undefined && !isClosed())
      await removeRefused()
    },
  }
}
