import type { Envelope } from '@mailhatch/sdk'
import type { Recipient } from '../domain/address.ts'
import { metadataKey } from '../domain/object-keys.ts'
import { sizeOf, type Body, type Bucket, type NewObject } from '../bucket/bucket.ts'
import type { ParsedMail } from '../mime/parse-mail.ts'
import type { Announcer } from './announcer.ts'
import { announcementOf, encodeMetadata, newMetadata, type Metadata } from './metadata.ts'

export type IncomingMail = {
  recipients: Recipient[]
  envelope: Omit<Envelope, 'rcptTo'>
  /** Read once for each recipient. */
  raw: Body
  /** Asked before `raw` is read. */
  parse: () => Promise<ParsedMail>
}

export type ReceivePorts = {
  bucket: Pick<Bucket, 'put'>
  /** Null when there is nobody to announce to: mail is only stored. */
  announcer: Pick<Announcer, 'offer'> | null
  rootDomain: string
  newId: (now: number) => string
  now: () => number
}

/**
 * Takes in one mail: a stored message for each recipient, durable when this resolves. Only then may the sender be
 * told "accepted". The announcement follows on its own; if the program dies before it, the sweep repeats it.
 */
export async function receive(
  { bucket, announcer, rootDomain, newId, now }: ReceivePorts,
  { recipients, envelope, raw, parse }: IncomingMail,
): Promise<void> {
  const receivedAt = now()
  const parsed = await parse()
  const rawSize = sizeOf(raw)
  const copies: Metadata[] = []
  const objects: NewObject[] = []
  for (const recipient of recipients) {
    const id = newId(receivedAt)
    const metadata = newMetadata({ id, recipient, parsed, receivedAt, rawSize, envelope, rootDomain })
    copies.push(metadata)
    // Raw bytes first: metadata that can be seen always has its mail.
    objects.push({ key: metadata.rawKey, body: raw })
    objects.push({ key: metadataKey('unprocessed', metadata), body: encodeMetadata(metadata) })
  }
  await bucket.put(objects, { keysAreNew: true })
  for (const metadata of copies) announcer?.offer(metadata, announcementOf(metadata, parsed))
}
