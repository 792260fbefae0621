import { findCodes } from '../domain/codes.ts'
import { fold } from '../domain/fold.ts'
import { htmlToText } from '../domain/html-text.ts'
import { findLinks } from '../domain/links.ts'
import { senderName } from '../mime/sender.ts'
import type { NewMessage } from '../store/store.ts'
import type { NormalAnnouncement } from './announcement.ts'

/** Everything that reads will want of a message is computed here, once. */
export function newMessage(announcement: NormalAnnouncement, storedAt: number): NewMessage {
  const { from, to, subject, mailboxWithTag, headers } = announcement
  const html = announcement.rawContent || null
  const text = announcement.plainContent || null
  const fromName = senderName(headers)
  const words = text ?? (html === null ? '' : htmlToText(html))
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
    codes: findCodes({ subject, text: words, html: text === null ? null : html }),
    links: findLinks({ text, html }),
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
