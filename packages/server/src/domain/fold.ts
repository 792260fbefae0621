/**
 * The form in which text is compared: NFKC, lower case, no NUL, no lone surrogates.
 * Both databases store and search this form, so that they cannot disagree about case.
 */
export function fold(text: string): string {
  // Nothing but its capitals can change in ASCII text, which is what most addresses and many mails are.
  if (!OTHER_THAN_ASCII.test(text)) return text.toLowerCase()
  return text.replaceAll('\0', '').toWellFormed().normalize('NFKC').toLowerCase()
}

// NUL too, because it has to go.
const OTHER_THAN_ASCII = /[\0\u0080-\uffff]/

/** Header names are ASCII (RFC 5322, 2.2); other characters are left as they are. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
