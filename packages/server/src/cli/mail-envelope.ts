import { findHead } from '../mime/head.ts'
import { readHeaders } from '../mime/headers.ts'

/** Headers that name who a stored mail was delivered to; where there is one of them, the others do not count. */
const RECIPIENT_HEADERS = [
  ['delivered-to', 'x-original-to', 'envelope-to'],
  ['to', 'cc', 'bcc'],
]

export type MailEnvelope = { from: string; to: string[]; messageId: string | null }

/** Who a mail in a file is from and to, as far as its headers say. */
export async function readEnvelope(raw: Uint8Array): Promise<MailEnvelope> {
  // Only some commands need it.
  const { default: parseAddresses } = await import('nodemailer/lib/addressparser/index.js')
  const headers = readHeaders(raw, findHead(raw))
  const addressesOf = (names: string[]) =>
    headers
      .filter(({ name }) => names.includes(name.toLowerCase()))
      .flatMap(({ value }) => parseAddresses(value, { flatten: true }))
      .flatMap(({ address }) => (address.includes('@') ? [address] : []))
  const to = RECIPIENT_HEADERS.map(addressesOf).find((addresses) => addresses.length > 0) ?? []
  return {
    from: addressesOf(['from', 'sender', 'reply-to'])[0] ?? '',
    to: [...new Set(to)],
    messageId: headers.find(({ name }) => name.toLowerCase() === 'message-id')?.value.trim() || null,
  }
}
