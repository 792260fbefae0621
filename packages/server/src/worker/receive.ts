import type { NamedEnvelope } from '../domain/envelope.ts'
import type { Recipient } from '../domain/address.ts'
import { copyIds } from '../domain/mail-copies.ts'
import { metadataKey } from '../domain/object-keys.ts'
import { sizeOf, type ObjectBody, type Bucket, type NewObject } from '../bucket/bucket.ts'
import type { ParsedMail } from '../mime/parse-mail.ts'
import type { Announcer } from './announcer.ts'
import { encodeMetadata, newMetadata, type Metadata } from './metadata.ts'

export type MailToStore = {
  recipients: Recipient[]
  envelope: Omit<NamedEnvelope, 'rcptTo'>
  /** Read once per recipient. */
  raw: ObjectBody
  /** Called before `raw` is read. */
  parse: () => Promise<ParsedMail>
}

export type ReceivePorts = {
  bucket: Pick<Bucket, 'put'>
  /** Null when no webhook is configured: mail is only stored. */
  announcer: Pick<Announcer, 'offer'> | null
  rootDomain: string
  newId: (now: number) => string
  now: () => number
}

/**
 * Stores one mail, as one message per recipient. The mail is durable when this resolves, and only then may the sender
 * get a 250. The announcement runs separately. If the process ends before it, the sweep announces the mail. Resolves to
 * the ids of the messages, in the order of the recipients.
 */
export async function receive(
  { bucket, announcer, rootDomain, newId, now }: ReceivePorts,
  { recipients, envelope, raw, parse }: MailToStore,
): Promise<string[]> {
  const receivedAt = now()
  const parsed = await parse()
  const rawSize = sizeOf(raw)
  const copies: Metadata[] = []
  const objects: NewObject[] = []
  const ids = copyIds(recipients.map(() => newId(receivedAt)))
  for (const [index, recipient] of recipients.entries()) {
    const id = ids[index]!
    const metadata = newMetadata({ id, recipient, parsed, receivedAt, rawSize, envelope, rootDomain })
    copies.push(metadata)
    // Raw bytes first, so that visible metadata always has its mail.
    objects.push({ key: metadata.rawKey, body: raw })
    objects.push({ key: metadataKey('unprocessed', metadata), body: encodeMetadata(metadata) })
  }
  await bucket.put(objects, { keysAreNew: true })
  for (const metadata of copies) announcer?.offer(metadata, parsed)
  return ids
}
