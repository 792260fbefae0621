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

  async function discover(key: string): Promise<void> {
    // A bucket folder may contain unrelated files.
    if (parseMetadataKey(key) === null) return
    try {
      const object = await bucket.get(key)
      if (!object) return
      const metadata = decodeMetadata(await bytesOf(object))
      // The mail may have arrived or been announced while its metadata was read.
      if (isInFlight(key) || waiting.isKnown(key)) return
      waiting.remember(key, metadata)
      if (metadata.setAside?.isReported === false) onUnreported(key, metadata)
    } catch (error) {
      log.error({ err: error, key }, 'the metadata of a mail could not be read')
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
