import { createHash } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Attachment } from '@mailhatch/sdk'
import { AppError } from '../../domain/errors.ts'
import { isoTime } from '../../http/present.ts'
import { addressHeadersOf } from '../../mime/address-headers.ts'
import type { Contents } from '../../read/content.ts'
import { shownId, type WholeMail } from '../mails.ts'
import { snippetOf, textOf } from './clean-text.ts'
import { factsOf } from './facts.ts'
import { unsubscribeOf } from './unsubscribe.ts'

/** What is not part of the stored message. `setTags` is null if no client has set its tags. */
type State = { isRead: boolean; setTags: string[] | null }

/** An entry of a list. Mailpit leaves out empty lists of addresses there, so that they become null. */
export function presentListed(mail: WholeMail, state: State, { isSearch }: { isSearch: boolean }) {
  const entry = presentEntry(mail, state)
  const orNull = <Item>(list: Item[]) => (list.length > 0 ? list : null)
  const ReplyTo = isSearch ? orNull(entry.ReplyTo) : entry.ReplyTo
  return { ...entry, To: orNull(entry.To), Cc: orNull(entry.Cc), Bcc: orNull(entry.Bcc), ReplyTo }
}

/** A message as in the events. */
export function presentEntry(mail: WholeMail, { isRead, setTags }: State) {
  const { from, to, cc, bcc, replyTo, messageId, tags, attachments } = factsOf(mail)
  return {
    ID: shownId(mail.id),
    MessageID: messageId,
    Read: isRead,
    From: from,
    To: to,
    Cc: cc,
    Bcc: bcc,
    ReplyTo: replyTo,
    Subject: mail.subject,
    Created: isoTime(mail.receivedAt),
    Username: mail.envelope?.username ?? '',
    Tags: setTags ?? tags,
    Size: mail.size ?? 0,
    Attachments: attachments,
    Snippet: snippetOf(mail),
  }
}

type Ports = { contents: Pick<Contents, 'attachments'> }

export async function presentWhole(
  ports: Ports,
  mail: WholeMail,
  { setTags, ...reader }: { who: string } & Pick<State, 'setTags'>,
) {
  const { from, to, cc, bcc, replyTo, messageId, returnPath, tags } = factsOf(mail)
  const listed = mail.attachments.filter(({ filename, contentId }) => (filename ?? contentId) !== null)
  const checksums = await readChecksums(ports, mail, listed, reader)
  const present = (attachment: Attachment) => presentAttachment(attachment, checksums)
  return {
    ID: shownId(mail.id),
    MessageID: messageId,
    From: from,
    To: to,
    Cc: cc,
    Bcc: bcc,
    ReplyTo: replyTo,
    ReturnPath: returnPath,
    Subject: mail.subject,
    ListUnsubscribe: unsubscribeOf(mail.headers),
    Date: addressHeadersOf(mail.headers).date ?? isoTime(mail.receivedAt),
    Tags: setTags ?? tags,
    Username: mail.envelope?.username ?? '',
    Text: textOf(mail),
    HTML: mail.html ?? '',
    Size: mail.size ?? 0,
    Inline: listed.filter(({ inline }) => inline).map(present),
    Attachments: listed.filter(({ inline }) => !inline).map(present),
  }
}

type Checksums = { MD5: string; SHA1: string; SHA256: string }

function presentAttachment(attachment: Attachment, checksums: Map<number, Checksums>) {
  const { index, filename, contentId, contentType, size } = attachment
  return {
    PartID: String(index),
    FileName: filename ?? contentId ?? '',
    ContentType: contentType,
    ContentID: contentId ?? '',
    Size: size,
    Checksums: checksums.get(index) ?? { MD5: '', SHA1: '', SHA256: '' },
  }
}

/** Empty for a message whose raw mail is gone. */
async function readChecksums(
  { contents }: Ports,
  mail: WholeMail,
  attachments: Attachment[],
  reader: { who: string },
): Promise<Map<number, Checksums>> {
  const checksums = new Map<number, Checksums>()
  if (attachments.length === 0) return checksums
  try {
    const indexes = attachments.map(({ index }) => index)
    for (const [index, bytes] of await contents.attachments(mail, indexes, reader)) {
      checksums.set(index, await checksumsOf(bytes))
    }
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'raw_unavailable')) throw error
  }
  return checksums
}

/** Hashed at a time: about three milliseconds. */
const STEP_BYTES = 512 * 1024

async function checksumsOf(bytes: Uint8Array): Promise<Checksums> {
  const [md5, sha1, sha256] = ['md5', 'sha1', 'sha256'].map((name) => createHash(name))
  for (let start = 0; start < bytes.length; start += STEP_BYTES) {
    const step = bytes.subarray(start, start + STEP_BYTES)
    for (const hash of [md5!, sha1!, sha256!]) hash.update(step)
    if (step.length === STEP_BYTES) await yieldToEventLoop()
  }
  return { MD5: md5!.digest('hex'), SHA1: sha1!.digest('hex'), SHA256: sha256!.digest('hex') }
}
