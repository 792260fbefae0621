/**
 * The form in which text is compared: NFKC, lower case, no NUL, no lone surrogates.
 * Both databases store and search this form, so that they cannot disagree about case.
 */
export function fold(text: string): string {
  return text.replaceAll('\0', '').toWellFormed().normalize('NFKC').toLowerCase()
}

/** Header names are ASCII (RFC 5322, 2.2); other characters are left as they are. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
