/** The extensions that can be hidden. Enhanced status codes cannot: all replies have them. */
export const EXTENSIONS = [
  'PIPELINING',
  'SIZE',
  '8BITMIME',
  'SMTPUTF8',
  'CHUNKING',
  'BINARYMIME',
  'STARTTLS',
  'AUTH',
] as const

export type Extension = (typeof EXTENSIONS)[number]

/** What EHLO announces. Everything else behaves as in a server that does not have it. */
export type Offer = ReadonlySet<Extension>

export function offerWithout(hidden: Extension[]): Offer {
  const offer = new Set(EXTENSIONS).difference(new Set(hidden))
  // RFC 3030 (3): binary mail is sent in chunks only.
  if (!offer.has('CHUNKING')) offer.delete('BINARYMIME')
  return offer
}
