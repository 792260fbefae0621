/** Invisible characters and those that change the text direction, which senders use to deceive. */
const INVISIBLE = /[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

/** The limit of Unicode's stream-safe text (UAX #15). No script needs as many marks on one letter. */
const LONG_RUN = /(\p{M}{30})(?=\p{M})/gu

/** Puts a dotted circle after every 30 combining marks: a browser takes half a minute to draw 100,000 on one letter. */
export function breakRuns(text: string): string {
  return text.replaceAll(LONG_RUN, '$1\u25cc')
}

/** Replaces each invisible character by a visible symbol; line breaks and tabs become spaces. */
export function visibleText(text: string): string {
  return breakRuns(text.replaceAll(/[\t\n\r]+/g, ' ').replaceAll(INVISIBLE, '\u2423'))
}

/** The host of a URL in Punycode, which exposes look-alike letters; null if it has none. */
export function hostOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host || null : null
}

/** Only these URLs become links in the page. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url)
}

export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1024 ** 2 ? `${Math.round(bytes / 1024)} kB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
