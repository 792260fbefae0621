import { parseRecipient } from './address.ts'
import { fold } from './fold.ts'

/** RFC 5321 section 4.5.3.1.3: a path has 256 octets, two of them its angle brackets. */
export const EMAIL_CHARACTERS_MAX = 254
/** Ten characters are out of reach of guessing through the limits of signing in. */
export const PASSWORD_CHARACTERS_MIN = 10
/** Longer than any passphrase; what is hashed must have an end. */
export const PASSWORD_CHARACTERS_MAX = 200
export const USER_NAME_CHARACTERS_MAX = 100

/** The name as it is kept: it is shown on one line, in mails and by terminals too. */
export function readUserName(text: string): string {
  const name = text.replaceAll(/\p{Cc}/gu, '').trim()
  return name.slice(0, USER_NAME_CHARACTERS_MAX).toWellFormed()
}

/** The address as it is kept, or null when nobody can have it. */
export function parseEmail(text: string): string | null {
  const email = text.trim()
  if (email.length > EMAIL_CHARACTERS_MAX || !/^[^\s"<>]+$/.test(email) || parseRecipient(email) === null) return null
  // Two addresses that only look alike would be one account.
  return fold(email) === email.toLowerCase() ? email : null
}
