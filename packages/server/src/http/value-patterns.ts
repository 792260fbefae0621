import { z } from 'zod'

/**
 * How values look, for the document: what fits is accepted. Where the server also takes other spellings (blanks around a
 * value, other notations of a time), descriptions say so.
 */

/** NUL is left out where texts are compared; a half of a character is none. */
export const TEXT_PATTERN = String.raw`^[^\u0000\ud800-\udfff]*$`
/** One line that can be shown. */
export const LINE_PATTERN = String.raw`^[^\u0000-\u001f\u007f\ud800-\udfff]*$`
/** Something besides blanks. */
export const NOT_BLANK_PATTERN = String.raw`\S`

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const ATOM = String.raw`[A-Za-z0-9_!#$%&'*+\/=?^\x60{|}~-]+`
const NO_NAME = String.raw`\s\u0000-\u001f\u007f-\u009f\ud800-\udfff"<>()\[\],;:\\@`
const PLAIN_MAILBOX = `[^${NO_NAME}+][^${NO_NAME}]{0,63}`
const ADDRESS = String.raw`(?=[^@]{1,64}@)(?!\+)${ATOM}(?:\.${ATOM})*@(?=.{1,255}$)${LABEL}(?:\.${LABEL})*`

/** A mailbox with or without tag, or a full address. */
export const MAILBOX_FILTER_PATTERN = `^(?:${PLAIN_MAILBOX}|${ADDRESS})$`
/** `Name:value`. */
export const HEADER_FILTER_PATTERN = String.raw`^[^:\u0000\ud800-\udfff][^:\u0000\ud800-\udfff]*:[^\u0000\ud800-\udfff]*$`
/** Positions of up to ten digits to the base 36; there will never be as many messages. */
export const CURSOR_PATTERN = '^c(?:0|[1-9a-z][0-9a-z]{0,9})$'
/** https, a name in the public DNS, the usual port. */
export const WEBHOOK_URL_PATTERN =
  String.raw`^https:\/\/(?!(?:[^\/?]*\.)?(?:local|localhost|internal)(?:[\/?]|$))` +
  String.raw`(?:(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}` +
  String.raw`(?:\/[A-Za-z0-9._~!$&'()*+,;=:@\/-]*)?(?:\?[A-Za-z0-9._~!$&'()*+,;=:@\/?-]*)?$`

/** Characters as JSON Schema counts them, not halves of them. */
export function isAtMost(text: string, charactersMax: number): boolean {
  return text.length <= charactersMax || (text.length <= 2 * charactersMax && Array.from(text).length <= charactersMax)
}

export function textOfAtMost(charactersMax: number, message = `must be at most ${charactersMax} characters`) {
  return z.string().refine((text) => isAtMost(text, charactersMax), message)
}
