import { findHeader } from '../../mime/headers.ts'
import type { WholeMail } from '../mails.ts'
import { cleanText, wordsOfHtml } from './clean-text.ts'
import { factsOf, type PeerAddress } from './facts.ts'

/** What a search compares of a message, besides its text: in lower case, addresses and their names on lines. */
export type Searchable = {
  subject: string
  from: string
  to: string
  cc: string
  bcc: string
  replyTo: string
  messageId: string
  /** As they are written. */
  tags: string[]
  attachments: number
  inline: number
}

export function searchableOf(mail: WholeMail): Searchable {
  const { from, to, cc, bcc, replyTo, messageId, tags, attachments, inline } = factsOf(mail)
  return {
    subject: mail.subject.toLowerCase(),
    from: linesOf([from]),
    to: linesOf(to),
    cc: linesOf(cc),
    bcc: linesOf(bcc),
    replyTo: linesOf(replyTo),
    messageId: messageId.toLowerCase(),
    tags,
    attachments,
    inline,
  }
}

/** What is searched for contains no line break, so it is never found across two lines. */
function linesOf(addresses: PeerAddress[]): string {
  return addresses
    .flatMap(({ Name, Address }) => (Name === '' ? [Address] : [Name, Address]))
    .join('\n')
    .toLowerCase()
}

/** The text that a search without an operator looks at. */
export function searchTextOf(mail: WholeMail): string {
  const { headers, html, text, attachments } = mail
  const { to, cc, bcc, from, replyTo, returnPath } = factsOf(mail)
  const addresses = [[from], to, cc, bcc, replyTo].flat().map(({ Name, Address }) => `${Name} ${Address}`)
  const words = html === null ? '' : wordsOfHtml(html, { withLinks: true })
  const files = attachments.filter(({ inline }) => !inline).map(({ filename }) => filename ?? '')
  const subject = findHeader(headers, 'subject')?.value ?? mail.subject
  return cleanText([subject, ...addresses, returnPath, words || (text ?? ''), ...files].join(' '))
}
