import { z } from 'zod'
import { BLANKS, isAtMost, trimmedPattern } from '../domain/text-patterns.ts'

/** Patterns for the OpenAPI document. They match exactly the values that the API accepts. */

/** No NUL, because comparisons ignore it. */
export const TEXT_PATTERN = String.raw`^[^\u0000]*$`
/** `Name:value`. */
export const HEADER_FILTER_PATTERN = String.raw`^[^:\u0000]+:[^\u0000]*$`

/** One line of printable text, with optional blanks around it. */
export function linePattern(charactersMax: number): string {
  return trimmedPattern(String.raw`[^\u0000-\u001f\u007f]{0,${charactersMax}}`)
}

/** Characters that an unquoted local part cannot have, for a character class. A space may be an unescaped plus sign. */
const IMPOSSIBLE = String.raw`\u0000-\u001f\u007f"<>()\[\],;:\\@${BLANKS.replace(String.raw`\u0020`, '')}`
const FIRST = `[^${IMPOSSIBLE} +]`
const LAST = `[^${IMPOSSIBLE} ]`
const INNER = `[^${IMPOSSIBLE}]`
const TWO_SPACES = String.raw`[^ ]* [^ ]* [\s\S]*[^${BLANKS}]`

/** A mailbox with or without tag, or a full address. */
export const MAILBOX_FILTER_PATTERN = trimmedPattern(
  `(?!${TWO_SPACES})(?:${FIRST}${INNER}{0,63}@(?:${INNER}{0,254}${LAST})|${FIRST}(?:${INNER}{0,62}${LAST})?)`,
)

/** A tag in a list. */
export const TAG_PATTERN = String.raw`^[^,\u0000]*$`

const LABEL = '(?![Xx][Nn]--)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const PRIVATE_NAME = '(?:[Ll][Oo][Cc][Aa][Ll](?:[Hh][Oo][Ss][Tt])?|[Ii][Nn][Tt][Ee][Rr][Nn][Aa][Ll])'
const PATH_CHARACTER = String.raw`(?:[A-Za-z0-9._~!$&'()*+,;=:@\/-]|%[0-9A-Fa-f]{2})`

/** An https URL with a public DNS name and the default port. */
export const WEBHOOK_URL_PATTERN = trimmedPattern(
  String.raw`[Hh][Tt]{2}[Pp][Ss]:\/\/(?!(?:[^\/?#]*\.)?${PRIVATE_NAME}(?:[\/?#${BLANKS}]|$))` +
    String.raw`(?:${LABEL}\.)+[A-Za-z]{2,63}(?::443)?(?:\/${PATH_CHARACTER}*)?(?:\?(?:${PATH_CHARACTER}|[\/?])*)?(?:#(?:${PATH_CHARACTER}|[\/?])*)?`,
)

export function textOfAtMost(charactersMax: number, message = `must be at most ${charactersMax} characters`) {
  return z.string().refine((text) => isAtMost(text, charactersMax), message)
}
