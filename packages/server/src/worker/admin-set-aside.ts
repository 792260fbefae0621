import type { Hono } from 'hono'
import type { AnswerEnvironment } from '../answer-errors.ts'
import { bytesOf, type Bucket } from '../bucket/bucket.ts'
import { metadataPrefix, parseMetadataKey } from '../domain/object-keys.ts'
import type { Log } from '../observe/log.ts'
import { invalid, readDomain, readLimit } from './admin-params.ts'
import type { AdminSettings } from './admin-settings.ts'
import { decodeMetadata, type Metadata } from './metadata.ts'

const PREFIX = metadataPrefix('unprocessed')
/** Cloudflare allows six open connections per request. */
const READ_AT_ONCE_MAX = 6
/** Metadata objects read per request, of the 1,000 subrequests that Cloudflare allows. */
const READS_MAX = 500

type Ports = { bucket: Pick<Bucket, 'get' | 'list'>; settings: AdminSettings; log: Pick<Log, 'error'> }

/** Lists the mail of all mailboxes that was set aside after three failures. */
export function addSetAsideRoute(app: Hono<AnswerEnvironment>, { bucket, settings, log }: Ports): void {
  async function read(key: string): Promise<Metadata | null> {
    try {
      const object = await bucket.get(key)
      return object && decodeMetadata(await bytesOf(object))
    } catch (error) {
      log.error({ err: error, key }, 'the metadata of a mail could not be read')
      return null
    }
  }

  app.get('/admin/set-aside', async (context) => {
    const domain = readDomain(settings, context.req.query('domain'))
    const prefix = domain === null ? PREFIX : metadataPrefix('unprocessed', domain)
    const limit = readLimit(context.req.query('limit'))
    const given = context.req.query('cursor')
    if (given && !`${PREFIX}${given}`.startsWith(prefix)) {
      throw invalid('cursor', 'must be the cursor of the previous response')
    }
    // One request looks at this many unprocessed messages, so a page can be empty without being the last.
    const page = await bucket.list({ prefix, cursor: given ? `${PREFIX}${given}` : undefined, limit: READS_MAX })
    const keys = page.keys.filter((key) => parseMetadataKey(key) !== null)
    const messages: Metadata[] = []
    let last = page.cursor
    for (let start = 0; start < keys.length && messages.length < limit; start += READ_AT_ONCE_MAX) {
      const group = keys.slice(start, start + READ_AT_ONCE_MAX)
      for (const [index, metadata] of (await Promise.all(group.map(read))).entries()) {
        if (metadata === null || metadata.setAside === null) continue
        messages.push(metadata)
        if (messages.length < limit) continue
        if (start + index + 1 < keys.length) last = group[index]!
        break
      }
    }
    return context.json({ messages, ...(last === null ? {} : { cursor: last.slice(PREFIX.length) }) })
  })
}
