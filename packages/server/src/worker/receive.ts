import { createReadStream } from 'node:fs'
import type { Envelope } from '@mailhatch/sdk'
import type { Recipient } from '../domain/address.ts'
import { metadataKey } from '../domain/object-keys.ts'
import type { Body, Bucket, NewObject } from '../bucket/bucket.ts'
import type { MailContent, MailParser } from '../mime/mail-parser.ts'
import type { Announcer } from './announcer.ts'
import { announcementOf, encodeMetadata, newMetadata } from './metadata.ts'

export type IncomingMail = { recipients: Recipient[]; envelope: Omit<Envelope, 'rcptTo'>; content: MailContent }

type Ports = {
  bucket: Pick<Bucket, 'put'>
  parser: Pick<MailParser, 'parse'>
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
  { bucket, parser, announcer, rootDomain, newId, now }: Ports,
  mail: IncomingMail,
): Promise<void> {
  const receivedAt = now()
  const parsed = await parser.parse(mail.content)
  const body = bodyOf(mail.content)
  const copies = mail.recipients.map((recipient) =>
    newMetadata({
      id: newId(receivedAt),
      recipient,
      parsed,
      receivedAt,
      rawSize: sizeOfContent(mail.content),
      envelope: mail.envelope,
      rootDomain,
    }),
  )
  // Raw bytes first: metadata that can be seen always has its mail.
  const objects = copies.flatMap((metadata): NewObject[] => [
    { key: metadata.rawKey, body },
    { key: metadataKey('unprocessed', metadata), body: encodeMetadata(metadata) },
  ])
  await bucket.put(objects)
  for (const metadata of copies) announcer?.offer(metadata, announcementOf(metadata, parsed))
}

function bodyOf(content: MailContent): Body {
  if (content instanceof Uint8Array) return content
  return { size: content.size, chunks: () => createReadStream(content.path, { highWaterMark: 256 * 1024 }) }
}

function sizeOfContent(content: MailContent): number {
  return content instanceof Uint8Array ? content.byteLength : content.size
}
