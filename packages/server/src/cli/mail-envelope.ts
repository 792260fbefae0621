import { findHead } from '../mime/head.ts'
import { readHeaders } from '../mime/headers.ts'

/** Headers with the recipients of a stored mail. The first group that is present wins. */
const RECIPIENT_HEADERS = [
  ['delivered-to', 'x-original-to', 'envelope-to'],
  ['to', 'cc', 'bcc'],
]

export type MailEnvelope = {
  from: string
  to: string[]
  messageId: string | null
  /** The headers are longer than what is read of them, so recipients may be missing or cut. */
  isPartial: boolean
}

/** The sender and recipients of a mail in a file, according to its headers. */
export async function readEnvelope(raw: Uint8Array): Promise<MailEnvelope> {
  // Imported on demand, because few commands need it.
  const { default: parseAddresses } = await import('nodemailer/lib/addressparser/index.js')
  const head = findHead(raw)
  const headers = readHeaders(raw, head)
  const addressesOf = (names: string[]) =>
    headers
      .filter(({ name }) => names.includes(name.toLowerCase()))
      .flatMap(({ value }) => parseAddresses(value, { flatten: true }))
      .flatMap(({ address }) => (address.includes('@') ? [address] : []))
  const to = RECIPIENT_HEADERS.map(addressesOf).find((addresses) => addresses.length > 0) ?? []
  return {
    // Servers write the sender of the envelope to Return-Path.
    from: addressesOf(['return-path'])[0] ?? addressesOf(['from', 'sender', 'reply-to'])[0] ?? '',
    to: [...new Set(to)],
    messageId: headers.find(({ name }) => name.toLowerCase() === 'message-id')?.value.trim() || null,
    isPartial: head.isPartial,
  }
}
