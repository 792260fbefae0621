import type { Header } from '@mailhatch/sdk'
import { addressesOf } from '../../mime/address-headers.ts'
import { findHeader } from '../../mime/headers.ts'
import type { WholeMail } from '../mails.ts'
import { trimSigns } from '../trim-signs.ts'
import { cleanTags, sortTags, TAGS_MAX } from './tags.ts'

export type PeerAddress = { Name: string; Address: string }

/** What Mailpit keeps of a message in its list, as far as our summary does not have it. */
export type Facts = {
  from: PeerAddress
  to: PeerAddress[]
  cc: PeerAddress[]
  bcc: PeerAddress[]
  replyTo: PeerAddress[]
  messageId: string
  returnPath: string
  /** Those of the mail, without tags that a client has set. */
  tags: string[]
  attachments: number
  inline: number
}

export function factsOf({ headers, from, fromName, recipients, attachments, envelope }: WholeMail): Facts {
  const list = (name: string) => addressesOf(headers, name).map(({ name, address }) => asPeer(name, address))
  const [to, cc] = [list('to'), list('cc')]
  // Like Mailpit, shows recipients that no header names as blind copies.
  const bcc = [...list('bcc'), ...hiddenRecipients({ headers, recipients }).map((address) => asPeer(null, address))]
  const sender = asPeer(fromName, from)
  const inline = attachments.filter((one) => one.inline).length
  return {
    from: sender,
    to,
    cc,
    bcc,
    replyTo: list('reply-to'),
    messageId: withoutBrackets(findHeader(headers, 'message-id')?.value ?? ''),
    returnPath: (envelope?.mailFrom ?? '') || withoutBrackets(findHeader(headers, 'return-path')?.value ?? '') || from,
    tags: tagsOf(headers, [...to, ...cc, ...bcc, sender]),
    attachments: attachments.length - inline,
    inline,
  }
}

/** Those that no header names. */
export function hiddenRecipients({ headers, recipients }: Pick<WholeMail, 'headers' | 'recipients'>): string[] {
  const named = new Set(['to', 'cc', 'bcc'].flatMap((name) => addressesOf(headers, name)).map(lowerCaseAddress))
  return recipients.filter((recipient) => !named.has(recipient.toLowerCase()))
}

function lowerCaseAddress({ address }: { address: string }): string {
  return address.toLowerCase()
}

function asPeer(name: string | null, address: string): PeerAddress {
  return { Name: name ?? '', Address: address }
}

function withoutBrackets(value: string): string {
  return trimSigns(value, { start: '<>', end: '<>' })
}

/** The tags in the X-Tags header, and the parts of addresses after a plus sign. */
function tagsOf(headers: Header[], addresses: PeerAddress[]): string[] {
  const given = (findHeader(headers, 'x-tags')?.value ?? '').split(',')
  const added = addresses.flatMap(({ Address }) => /^[^+]+\+([^@]*)@/.exec(Address)?.[1]?.split('+') ?? [])
  return sortTags(cleanTags([...given, ...added], TAGS_MAX))
}
