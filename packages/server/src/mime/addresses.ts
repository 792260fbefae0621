import { addressParser } from 'postal-mime'
import { SENDER_CHARS_MAX } from './limits.ts'

/** The addresses of a header such as To, groups included, in their order. */
export function addressesIn(value: string): string[] {
  const mailboxes = addressParser(value.slice(0, SENDER_CHARS_MAX), { flatten: true })
  return mailboxes.flatMap(({ address }) => (address ? [address] : []))
}
