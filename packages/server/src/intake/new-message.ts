import { setImmediate as turnOfOthers } from 'node:timers/promises'
import { findCodes } from '../domain/codes.ts'
import { cutToBytes } from '../domain/cut-text.ts'
import { fold } from '../domain/fold.ts'
import { htmlToText } from '../domain/html-text.ts'
import { findLinks } from '../domain/links.ts'
import { senderName } from '../mime/sender.ts'
import { BODY_BYTES_MAX } from '../mime/limits.ts'
import type { NewMessage } from '../store/store.ts'
import type { NormalAnnouncement } from './announcement.ts'

/** Between the steps of a longer one, which take up to 60 ms of a megabyte, others have their turn. */
const SHORT_LENGTH_MAX = 128 * 1024

/** HTML that was cut at its limit ends with a whole character, so it may be this much shorter. */
const CHARACTER_BYTES_MAX = 4

/** Everything that reads will want of a message is computed here, once. */
export async function newMessage(announcement: NormalAnnouncement, storedAt: number): Promise<NewMessage> {
  const { from, to, subject, mailboxWithTag, headers, rawContent, plainContent } = announcement
  const isLong = rawContent.length + plainContent.length > SHORT_LENGTH_MAX
  const html = rawContent || null
  const text = plainContent || null
  const fromName = senderName(headers, from)
  const words = text ?? (html === null ? '' : htmlToText(html))
  if (isLong) await turnOfOthers()
  // The text may have been made of the HTML, by the worker or just now.
  const isCut = html !== null && cutToBytes(html, BODY_BYTES_MAX - CHARACTER_BYTES_MAX).length < html.length
  const codes = findCodes({ subject, text: words, html: text === null ? null : html, isCut })
  if (isLong) await turnOfOthers()
  const links = findLinks({ text, html })
  if (isLong) await turnOfOthers()
  return {
    id: announcement.id,
    domain: announcement.domain,
    tenantSubdomain: announcement.tenantSubdomain,
    objectMailbox: announcement.mailbox,
    mailboxWithTag,
    tag: announcement.tag,
    from,
    fromName,
    to,
    subject,
    receivedAt: announcement.receivedAt,
    storedAt,
    size: announcement.size ?? null,
    headers,
    html,
    text,
    codes,
    links,
    attachments: announcement.attachments ?? [],
    envelope: announcement.envelope ?? null,
    parse: announcement.parse ?? 'complete',
    subjectFolded: fold(subject),
    // Both the name and the address can be searched for, and the whole as mail programs show it.
    fromFolded: fold(fromName === null ? from : `${fromName} <${from}>`),
    toFolded: fold(to),
    mailboxWithTagFolded: fold(mailboxWithTag),
    bodyFolded: fold(words),
  }
}
