import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { findCodes } from '../domain/codes/codes.ts'
import { cutToBytes } from '../domain/cut-text.ts'
import { fold } from '../domain/fold.ts'
import { htmlToText } from '../domain/html/html-text.ts'
import { findLinks } from '../domain/links.ts'
import { senderName } from '../mime/sender.ts'
import { BODY_BYTES_MAX } from '../mime/limits.ts'
import type { NewMessage } from '../store/messages.ts'
import type { NormalAnnouncement } from './normal-announcement.ts'

/** Longer messages yield to the event loop between steps, which take up to 60 ms per megabyte. */
const SHORT_LENGTH_MAX = 128 * 1024

/** HTML cut at its limit ends with a complete character, so it can be this much shorter than the limit. */
const CHARACTER_BYTES_MAX = 4

/** Computes everything that reads need of a message, once. */
export async function newMessage(announcement: NormalAnnouncement, storedAt: number): Promise<NewMessage> {
  const { from, to, subject, mailboxWithTag, headers, rawContent, plainContent } = announcement
  const isLong = rawContent.length + plainContent.length > SHORT_LENGTH_MAX
  const html = rawContent || null
  const text = plainContent || null
  const fromName = senderName(headers, from)
  const words = text ?? (html === null ? '' : htmlToText(html))
  if (isLong) await yieldToEventLoop()
  // The worker or the line above may have derived the text from the HTML.
  const isCut = html !== null && cutToBytes(html, BODY_BYTES_MAX - CHARACTER_BYTES_MAX).length < html.length
  const codes = findCodes({ subject, text: words, html: text === null ? null : html, isCut })
  if (isLong) await yieldToEventLoop()
  const links = findLinks({ text, html })
  if (isLong) await yieldToEventLoop()
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
    // Both name and address are searchable, and the combined form that mail clients show.
    fromFolded: fold(fromName === null ? from : `${fromName} <${from}>`),
    toFolded: fold(to),
    mailboxWithTagFolded: fold(mailboxWithTag),
    bodyFolded: fold(words),
  }
}
