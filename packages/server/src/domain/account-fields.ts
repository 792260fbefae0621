import { parseRecipient } from './address.ts'
import { fold } from './fold.ts'

/** RFC 5321 section 4.5.3.1.3: a path has 256 octets, two of them its angle brackets. */
export const EMAIL_CHARACTERS_MAX = 254
/** Ten characters cannot be guessed within the rate limits of sign-in. */
export const PASSWORD_CHARACTERS_MIN = 10
/** Longer than any passphrase. The limit bounds the cost of hashing. */
export const PASSWORD_CHARACTERS_MAX = 200
export const USER_NAME_CHARACTERS_MAX = 100

/** Removes control characters, because the name is shown on one line, also in mail and terminals. */
export function readUserName(text: string): string {
  const name = text.replaceAll(/\p{Cc}/gu, '').trim()
  return name.slice(0, USER_NAME_CHARACTERS_MAX).toWellFormed()
}

/** The address as it is stored. Null if it is not valid. */
export function parseEmail(text: string): string | null {
  const email = text.trim()
  if (email.length > EMAIL_CHARACTERS_MAX || !/^[^\s"<>]+$/.test(email) || parseRecipient(email) === null) return null
  // Refuses characters that fold to others: two addresses that only look alike would share one account.
  return fold(email) === email.toLowerCase() ? email : null
}
