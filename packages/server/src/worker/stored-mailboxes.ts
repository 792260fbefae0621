import type { Bucket } from '../bucket/bucket.ts'
import { metadataPrefix, parseMetadataKey, type MetadataStatus } from '../domain/object-keys.ts'

/** Keys per list request. If a mailbox has more, the rest of it is skipped. */
const KEYS_PER_PAGE = 100

export type StoredMailbox = { domain: string; mailbox: string }

type MailboxQuery = {
  statuses: MetadataStatus[]
  /** Null for all domains. */
  domain: string | null
  /** Only mailboxes after this one. */
  after: StoredMailbox | null
  limit: number
}

/** Mailboxes with mail in one of the statuses, in key order. */
export async function storedMailboxes(
  bucket: Pick<Bucket, 'list'>,
  { statuses, domain, after, limit }: MailboxQuery,
): Promise<StoredMailbox[]> {
  // Keyed by the encoded name: this sorts the mailboxes and merges the two statuses.
  const found = new Map<string, StoredMailbox>()
  for (const status of statuses) {
    for (const mailbox of await mailboxesOf(status)) found.set(sortKey(mailbox), mailbox)
  }
  const names = Array.from(found.keys()).sort()
  return names.slice(0, limit).map((name) => found.get(name)!)

  async function mailboxesOf(status: MetadataStatus): Promise<StoredMailbox[]> {
    const prefix = domain === null ? metadataPrefix(status) : metadataPrefix(status, domain)
    const mailboxes: StoredMailbox[] = []
    let cursor = after ? cursorAfter(status, after) : undefined
    while (mailboxes.length < limit) {
      const page = await bucket.list({ prefix, cursor, limit: KEYS_PER_PAGE })
      for (const key of page.keys) {
        const name = parseMetadataKey(key)
        const last = mailboxes.at(-1)
        if (name && !(last?.domain === name.domain && last.mailbox === name.mailbox)) {
          mailboxes.push({ domain: name.domain, mailbox: name.mailbox })
        }
      }
      if (page.cursor === null) break
      const last = parseMetadataKey(page.cursor)
      cursor = last ? cursorAfter(status, last) : page.cursor
    }
    return mailboxes
  }
}

/** Sorts after all keys of the mailbox and before those of the next. */
function cursorAfter(status: MetadataStatus, { domain, mailbox }: StoredMailbox): string {
  // '0' is the character after '/'.
  return `${metadataPrefix(status, domain, mailbox).slice(0, -1)}0`
}

function sortKey({ domain, mailbox }: StoredMailbox): string {
  return metadataPrefix('unprocessed', domain, mailbox)
}
