/** Characters that turn the reading direction, or are not there at all: senders deceive with them. */
const INVISIBLE = /[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

/** With a sign in place of each character that cannot be seen; spaces of any kind stay spaces. */
export function visibleText(text: string): string {
  return text.replaceAll(/[\t\n\r]+/g, ' ').replaceAll(INVISIBLE, '\u2423')
}

/** The host of a link in the letters that the network uses, so that look-alikes show; null when it has none. */
export function hostOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host || null : null
}

/** The only kind of address that becomes a link of ours. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url)
}

export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1024 ** 2 ? `${Math.round(bytes / 1024)} kB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
