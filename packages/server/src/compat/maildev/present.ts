import { isoTime } from '../../http/present.ts'
import { addressHeadersOf } from '../../mime/address-headers.ts'
import { findHeader } from '../../mime/headers.ts'
import type { StoredMessage } from '../../store/messages.ts'
import { isTextFromHtml, textWithLinks } from '../link-text.ts'
import { shownId, type WholeMail } from '../mails.ts'
import { nameAttachments, type NamedAttachment } from './attachments.ts'
import { addressesIn, namedIn, timeOf, type EmailAddress } from './facts.ts'
import { allHeaders, idsIn, plainHeaders, priorityOf } from './headers.ts'

type State = { isRead: boolean }
type Email = Record<string, unknown>

/** An email as version 2 writes it. What the mail does not have is left out. */
export function presentSecond(mail: WholeMail, { isRead }: State): Email {
  const { headers, html, envelope } = mail
  const { from, to, cc } = namedIn(mail)
  const attachments = nameAttachments(mail.attachments)
  const sender = (address: string) => ({ address, args: false })
  const fields = {
    html,
    text: isTextFromHtml(mail) ? null : mail.text,
    headers: allHeaders(headers),
    subject: mail.subject,
    references: idsIn(headers, 'references'),
    messageId: idsIn(headers, 'message-id')[0],
    inReplyTo: idsIn(headers, 'in-reply-to'),
    priority: priorityOf(headers) ?? 'normal',
    from,
    replyTo: addressesIn(headers, 'reply-to'),
    to,
    cc,
    bcc: addressesIn(headers, 'bcc'),
    date: addressHeadersOf(headers).date,
    ...commonOf(mail, { isRead, units: ['bytes', 'KB', 'MB', 'GB'] }),
  }
  return {
    ...given(fields),
    envelope: {
      from: sender(mailFromOf(mail)),
      to: mail.recipients.map(sender),
      ...given({ host: envelope?.helo, remoteAddress: envelope?.remoteAddress }),
    },
    attachments: attachments.length > 0 ? attachments.map(presentSecondAttachment) : null,
    calculatedBcc: hiddenIn(mail, [...to, ...cc]),
  }
}

function presentSecondAttachment({
  contentType,
  filename,
  contentId,
  inline,
  size,
  generatedFileName,
}: NamedAttachment) {
  return given({
    contentType,
    fileName: filename,
    contentDisposition: inline ? 'inline' : 'attachment',
    contentId,
    generatedFileName,
    length: size,
    transformed: true,
  })
}

/** An email as version 3 writes it. */
export function presentThird(mail: WholeMail, { isRead }: State): Email {
  const { headers, html } = mail
  const { from, to, cc } = namedIn(mail)
  return {
    ...commonOf(mail, { isRead, units: ['Bytes', 'KB', 'MB', 'GB'] }),
    subject: mail.subject,
    from,
    to,
    headers: plainHeaders(headers),
    attachments: nameAttachments(mail.attachments).map(presentThirdAttachment),
    envelope: { from: { address: mailFromOf(mail) }, to: mail.recipients.map((address) => ({ address })) },
    calculatedBcc: hiddenIn(mail, [...to, ...cc]),
    ...given({
      cc,
      html,
      text: textOf(mail),
      inReplyTo: findHeader(headers, 'in-reply-to')?.value,
      priority: priorityOf(headers),
    }),
  }
}

function presentThirdAttachment({
  filename,
  contentType,
  contentId,
  inline,
  size,
  generatedFileName,
}: NamedAttachment) {
  return {
    filename: filename ?? '',
    generatedFileName,
    contentType,
    contentDisposition: inline ? 'inline' : 'attachment',
    ...given({ contentId }),
    size,
  }
}

const PREVIEW_LENGTH = 140

/** An entry of version 3's list without bodies. */
export function presentSummary(mail: WholeMail, state: State): Email {
  const { id, time, read, subject, size, sizeHuman, from, to, cc } = presentThird(mail, state)
  const preview = textOf(mail).replaceAll(/\s+/g, ' ').trim().slice(0, PREVIEW_LENGTH)
  const attachmentCount = mail.attachments.length
  return { id, time, read, subject, size, sizeHuman, from, to, attachmentCount, preview, ...(cc ? { cc } : {}) }
}

/** The text of a mail. Like version 3, that of its HTML if the mail is nothing else, so not if it has inline images. */
export function textOf(message: Pick<StoredMessage, 'html' | 'text' | 'headers'>): string {
  if (!isTextFromHtml(message)) return message.text ?? ''
  const isHtmlAlone = /^text\/html\b/i.test(findHeader(message.headers, 'content-type')?.value ?? '')
  return isHtmlAlone ? textWithLinks(message.html!, (href) => ` [${href}]`) : ''
}

function commonOf(mail: WholeMail, { isRead, units }: State & { units: string[] }) {
  const id = shownId(mail.id)
  const size = mail.size ?? 0
  return {
    id,
    time: isoTime(timeOf(mail)),
    read: isRead,
    source: `${id}.eml`,
    size,
    sizeHuman: formatBytes(size, units),
  }
}

function formatBytes(bytes: number, units: string[]): string {
  const unit = bytes === 0 ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), units.length - 1)
  return `${Number((bytes / 1024 ** unit).toFixed(2))} ${units[unit]}`
}

function mailFromOf({ envelope, from }: WholeMail): string {
  return envelope?.mailFrom ?? from
}

/** The recipients that no header names. */
function hiddenIn({ recipients }: WholeMail, named: EmailAddress[]): EmailAddress[] {
  const names = new Set(named.map(({ address }) => address.toLowerCase()))
  return recipients.filter((to) => !names.has(to.toLowerCase())).map((address) => ({ address, name: '' }))
}

/** Without what is empty. */
function given(fields: Email): Email {
  const isEmpty = (value: unknown) => value === undefined || value === null || value === ''
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => !isEmpty(value) && !(Array.isArray(value) && value.length === 0)),
  )
}
