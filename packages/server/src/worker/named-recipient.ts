import type { Header } from '@mailhatch/sdk'
import { parseRecipient, type Recipient } from '../domain/address.ts'
import type { StoredMessage } from '../domain/object-keys.ts'
import { addressesIn } from '../mime/address.ts'

/** Those that name the one recipient of this copy come before those that a sender writes. */
const RECIPIENT_HEADERS = ['delivered-to', 'x-original-to', 'envelope-to', 'to', 'cc', 'bcc']

/**
 * The recipient of a mail of which only its mailbox is known: the first address in its headers that belongs to that
 * mailbox, which says the tag too; else the mailbox itself.
 */
export function findRecipient({ domain, mailbox }: Omit<StoredMessage, 'id'>, headers: Header[]): Recipient {
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
