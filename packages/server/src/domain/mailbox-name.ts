import { isReserved } from './reserved-names.ts'

// A local part has at most 64 octets (RFC 5321 section 4.5.3.1.1), and these names are ASCII.
export const MAILBOX_NAME_LENGTH_MAX = 64

const MAILBOX_NAME = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i

export type MailboxNameCheck = { name: string } | { problem: 'invalid' | 'reserved'; message: string }

/** For names that users choose. A mailbox that mail to a custom domain creates may have any local part. */
export function checkMailboxName(name: string): MailboxNameCheck {
  const trimmed = name.trim()
  // Before lower-casing, which turns the Kelvin sign into a plain k.
  if (trimmed.length > MAILBOX_NAME_LENGTH_MAX || !MAILBOX_NAME.test(trimmed)) {
    return { problem: 'invalid', message: 'Mailbox names may contain letters, numbers, dot, dash, underscore.' }
  }
  if (isReserved(trimmed)) return { problem: 'reserved', message: 'Mailbox name is reserved.' }
  return { name: trimmed.toLowerCase() }
}
