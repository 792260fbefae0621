import type { Header } from '@mailhatch/sdk'
import { parseRecipient, type Recipient } from '../domain/address.ts'
import type { MessageLocation } from '../domain/object-keys.ts'
import { addressesIn } from '../mime/address.ts'

/** Headers that name the recipient of this copy come before headers that the sender writes. */
const RECIPIENT_HEADERS = ['delivered-to', 'x-original-to', 'envelope-to', 'to', 'cc', 'bcc']

/**
 * The recipient of a mail when only its mailbox is known: the first header address in that mailbox, because it has
 * the tag too. Otherwise the mailbox without a tag.
 */
export function findRecipient({ domain, mailbox }: Omit<MessageLocation, 'id'>, headers: Header[]): Recipient {
  for (const name of RECIPIENT_HEADERS) {
    for (const header of headers.filter((header) => header.name.toLowerCase() === name)) {
      for (const address of addressesIn(header.value)) {
        const recipient = parseRecipient(address)
        if (recipient?.domain === domain && recipient.mailbox === mailbox) return recipient
      }
    }
  }
  return { address: `${mailbox}@${domain}`, domain, mailbox, mailboxWithTag: mailbox, tag: null }
}
