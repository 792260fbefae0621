import type { Bucket } from '../bucket/bucket.ts'
import { metadataPrefix, parseMetadataKey, type MetadataStatus } from '../domain/object-keys.ts'

/** One look at the bucket. A mailbox may have more; the rest of it is jumped over. */
const KEYS_PER_LOOK = 100

export type StoredMailbox = { domain: string; mailbox: string }

type MailboxQuery = {
  statuses: MetadataStatus[]
  /** Null for all. */
  domain: string | null
  /** Only those after this one. */
  after: StoredMailbox | null
  limit: number
}

/** Mailboxes that have mail in one of the states, in the order of their keys. */
export async function storedMailboxes(
  bucket: Pick<Bucket, 'list'>,
  { statuses, domain, after, limit }: MailboxQuery,
): Promise<StoredMailbox[]> {
  // By how they are written in keys, which sorts them and makes one of two states one entry.
  const found = new Map<string, StoredMailbox>()
  for (const status of statuses) {
    for (const mailbox of await mailboxesOf(status)) found.set(placeOf(mailbox), mailbox)
  }
  const places = Array.from(found.keys()).sort()
  return places.slice(0, limit).map((place) => found.get(place)!)

  async function mailboxesOf(status: MetadataStatus): Promise<StoredMailbox[]> {
    const prefix = domain === null ? metadataPrefix(status) : metadataPrefix(status, domain)
    const mailboxes: StoredMailbox[] = []
    let cursor = after ? behind(status, after) : undefined
    while (mailboxes.length < limit) {
      const page = await bucket.list({ prefix, cursor, limit: KEYS_PER_LOOK })
      for (const key of page.keys) {
        const name = parseMetadataKey(key)
        const last = mailboxes.at(-1)
        if (name && !(last?.domain === name.domain && last.mailbox === name.mailbox)) {
          mailboxes.push({ domain: name.domain, mailbox: name.mailbox })
        }
      }
      if (page.cursor === null) break
      const last = parseMetadataKey(page.cursor)
      cursor = last ? behind(status, last) : page.cursor
    }
    return mailboxes
  }
}

/** A text that comes after all keys of the mailbox and before those of the next. */
function behind(status: MetadataStatus, { domain, mailbox }: StoredMailbox): string {
  // The character after the slash.
  return `${metadataPrefix(status, domain, mailbox).slice(0, -1)}0`
}

function placeOf({ domain, mailbox }: StoredMailbox): string {
  return metadataPrefix('unprocessed', domain, mailbox)
}
