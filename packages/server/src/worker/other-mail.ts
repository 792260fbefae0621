import type { Announcement } from '@mailhatch/sdk'
import { bytesOf, type Bucket, type StoredObject } from '../bucket/bucket.ts'
import { AppError } from '../domain/errors.ts'
import { inGroups } from '../domain/in-groups.ts'
import { PARSED_IN_LIST_BYTES_MAX } from '../domain/listed-mail.ts'
import { metadataKey, metadataPrefix, parseMetadataKey, type MessageLocation } from '../domain/object-keys.ts'
import { isUnrouted } from '../domain/retry.ts'
import type { ParsedMail } from '../mime/parse-mail.ts'
import type { StoredOutcome } from './announce-stored.ts'
import { announcementOf, decodeMetadata, refusalOf, type Metadata } from './metadata.ts'
import type { UnroutedIndex } from './unrouted-index.ts'

const READ_AT_ONCE_MAX = 6
/** Mails read and posted at once. Each can be 25 MiB. */
const MOVED_AT_ONCE_MAX = 4
/** Proxies commonly end a request after 30 s. */
const MOVE_FOR_MS = 20_000
const KEYS_PER_PAGE = 200
/** More would not be readable. */
const DOMAINS_SHOWN_MAX = 100

type Ports = {
  bucket: Pick<Bucket, 'get' | 'list'>
  index: UnroutedIndex
  parse: (raw: StoredObject) => Promise<ParsedMail>
  announceNow: (key: string) => Promise<StoredOutcome>
  now: () => number
}

/** Stored mail for addresses that no team claims. */
export function createOtherMail({ bucket, index, parse, announceNow, now }: Ports) {
  async function readMetadata(key: string): Promise<Metadata | null> {
    const object = await bucket.get(key)
    return object && decodeMetadata(await bytesOf(object))
  }

  /** Null if the mail is gone, or belongs to a team by now. */
  async function readUnclaimed(mail: MessageLocation): Promise<Metadata | null> {
    const key = metadataKey('unprocessed', mail)
    const metadata = await readMetadata(key)
    if (metadata && isUnclaimed(metadata)) return metadata
    index.remove(key)
    return null
  }

  async function readForList(mail: MessageLocation): Promise<Announcement | null> {
    const metadata = await readUnclaimed(mail)
    if (!metadata) return null
    const raw = metadata.rawSize > PARSED_IN_LIST_BYTES_MAX ? null : await bucket.get(metadata.rawKey)
    return announcementOf(metadata, raw ? await parse(raw) : withoutBody(metadata))
  }

  /** Includes mail whose first attempt is running: the API may have refused it just before the domain was caught. */
  async function moveOne(key: string, mayMove: MayMove): Promise<'moved' | 'left' | 'none'> {
    const mail = parseMetadataKey(key)
    const metadata = mail && (await readMetadata(key))
    if (!metadata || !(isUnclaimed(metadata) || metadata.lastAttemptAt === null)) return 'none'
    if (!(await mayMove(mail))) return 'left'
    const { outcome } = await announceNow(key)
    return outcome === 'processed' ? 'moved' : outcome === 'gone' ? 'none' : 'left'
  }

  return {
    summary: () => ({ count: index.count(), version: index.version(), domains: index.domains(DOMAINS_SHOWN_MAX) }),

    async list({ before, limit }: { before: string | null; limit: number }) {
      const found = index.newest({ before, limit: limit + 1 })
      const mails = await inGroups(found.slice(0, limit), READ_AT_ONCE_MAX, readForList)
      return { mails: mails.filter((mail) => mail !== null), hasMore: found.length > limit }
    },

    async read(id: string, bytesMax = Infinity): Promise<Announcement | null> {
      const mail = index.find(id)
      const metadata = mail && (await readUnclaimed(mail))
      if (!metadata) return null
      if (metadata.rawSize > bytesMax) return announcementOf(metadata, withoutBody(metadata))
      const raw = await bucket.get(metadata.rawKey)
      if (!raw) throw new AppError('raw_unavailable', 'The raw mail of this message no longer exists.')
      return announcementOf(metadata, await parse(raw))
    },

    /** Announces the mail of a domain again. `isDone` is false if the time was too short for all of it. */
    async moveIn(domain: string, mayMove: MayMove): Promise<{ moved: number; left: number; isDone: boolean }> {
      const until = now() + MOVE_FOR_MS
      const prefix = metadataPrefix('unprocessed', domain)
      const total = { moved: 0, left: 0 }
      let cursor: string | undefined
      do {
        const page = await bucket.list({ prefix, cursor, limit: KEYS_PER_PAGE })
        for (let start = 0; start < page.keys.length; start += MOVED_AT_ONCE_MAX) {
          if (now() > until) return { ...total, isDone: false }
          const keys = page.keys.slice(start, start + MOVED_AT_ONCE_MAX)
          const outcomes = await Promise.all(keys.map((key) => moveOne(key, mayMove)))
          for (const outcome of outcomes) if (outcome !== 'none') total[outcome]++
        }
        cursor = page.cursor ?? undefined
      } while (cursor !== undefined)
      return { ...total, isDone: true }
    },
  }
}

type MayMove = (mail: MessageLocation) => Promise<boolean>

/** Mail of a team may be unprocessed too: on its way, or set aside. */
function isUnclaimed(metadata: Metadata): boolean {
  return metadata.setAside === null && isUnrouted(refusalOf(metadata))
}

function withoutBody({ headers, from, subject }: Metadata): ParsedMail {
  const body = { html: null, text: null, plainText: '', attachments: [] }
  return { headers, from, fromName: null, subject, ...body, parse: 'partial' }
}
