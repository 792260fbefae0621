import type { Header, MailAddress, MessageDetail } from '@mailhatch/sdk'
import { mailboxesIn } from './address.ts'
import { findHeader } from './headers.ts'
import { LISTED_ADDRESSES_MAX } from './limits.ts'
import { parseMailDate } from './mail-date.ts'

type AddressHeaders = Pick<MessageDetail, 'toAll' | 'cc' | 'replyTo' | 'date'>

/** The addresses and the time in the decoded headers of a message. */
export function addressHeadersOf(headers: Header[]): AddressHeaders {
  const date = parseMailDate(findHeader(headers, 'date')?.value ?? '')
  return {
    toAll: addressesOf(headers, 'to'),
    cc: addressesOf(headers, 'cc'),
    replyTo: addressesOf(headers, 'reply-to'),
    date: date === null ? null : new Date(date).toISOString(),
  }
}

/** Of all headers with this name: a mail should have one, but each recipient in a second one gets it as well. */
export function addressesOf(headers: Header[], lowerCaseName: string): MailAddress[] {
  const found: MailAddress[] = []
  for (const { name, value } of headers) {
    if (name.length !== lowerCaseName.length || name.toLowerCase() !== lowerCaseName) continue
    for (const mailbox of mailboxesIn(value, LISTED_ADDRESSES_MAX - found.length)) {
      found.push({ address: mailbox.address, name: mailbox.name || null })
    }
  }
  return found
}
