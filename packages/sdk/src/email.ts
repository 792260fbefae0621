import { ContentNotFoundError } from './errors.ts'
import { anything, checkOptions } from './options.ts'
import { printable } from './printable.ts'
import type { Link, LinkKind, MessageDetail } from './wire.ts'

/** Bounds the error message; a newsletter may have hundreds of links. */
const LINKS_SHOWN = 20

/** A whole message, with helpers to extract codes and links. */
export type Email = MessageDetail & EmailReader

/** A substring or pattern of the URL or text, or the kind of link. */
export type LinkMatch = string | RegExp | { kind: LinkKind }

/** The methods of an `Email`. */
class EmailReader {
  readonly #message: MessageDetail
  readonly #readRaw: (id: string) => Promise<Uint8Array>

  constructor(message: MessageDetail, readRaw: (id: string) => Promise<Uint8Array>) {
    Object.assign(this, message)
    this.#message = message
    this.#readRaw = readRaw
  }

  /** The text body, or text derived from the HTML; empty if there is neither. */
  get text(): string {
    return this.#message.textContent ?? ''
  }

  /** The HTML body; empty if there is none. */
  get html(): string {
    return this.#message.htmlContent ?? ''
  }

  /**
   * The one-time code in the message; throws if there is none. With a pattern: its first group, or the whole match, in the
   * subject or text.
   *
   * @example
   * mail.code() // '123456'
   * mail.code({ pattern: /order ([A-Z0-9-]+)/ }) // 'A-77'
   */
  code(options: { pattern?: RegExp } = {}): string {
    const { pattern } = checkOptions('code', options, { pattern: anything })
    const { codes } = this.#message
    if (pattern === undefined) {
      if (codes[0] !== undefined) return codes[0].value
      throw new ContentNotFoundError(`No code in ${this.#title()}. Its text: ${printable(this.text) || '(none)'}`)
    }
    const found = firstMatch(this.#message.subject, pattern) ?? firstMatch(this.text, pattern)
    if (found !== null) return found[1] ?? found[0]
    const others = codes.length === 0 ? 'none' : codes.map(({ value }) => printable(value)).join(', ')
    throw new ContentNotFoundError(
      `Nothing matching ${pattern} in ${this.#title()}. Codes: ${others}. Its text: ${printable(this.text)}`,
    )
  }

  /**
   * The URL of the first matching link; throws with a list of the links if none matches. Without an argument, the first
   * link to verify, reset or sign in, else the first one.
   *
   * @example
   * mail.link() // the link to confirm, to reset a password, to sign in
   * mail.link('/verify')
   * mail.link(/token=[a-f0-9]+/)
   * mail.link({ kind: 'unsubscribe' })
   */
  link(match?: LinkMatch): string {
    const { links } = this.#message
    const found = match === undefined ? mainLink(links) : links.find((link) => isMatch(link, match))
    if (found !== undefined) return found.url
    const wanted = match === undefined ? 'No link' : `No link matching ${describe(match)}`
    const shown = links.slice(0, LINKS_SHOWN).map(({ url, text }) => `\n  ${printable(url)} (${printable(text)})`)
    throw new ContentNotFoundError(
      `${wanted} in ${this.#title()}. Links: ${shown.length === 0 ? 'none.' : shown.join('')}`,
    )
  }

  /** The raw mail, decoded as UTF-8; `messages.raw` returns the bytes. */
  async raw(): Promise<string> {
    return new TextDecoder().decode(await this.#readRaw(this.#message.id))
  }

  #title(): string {
    return `'${printable(this.#message.subject)}' to ${printable(this.#message.to)}`
  }
}

export function toEmail(message: MessageDetail, readRaw: (id: string) => Promise<Uint8Array>): Email {
  // The constructor copies the fields of the message, which the class cannot declare.
  return new EmailReader(message, readRaw) as Email
}

const firstMatch = (text: string, pattern: RegExp): RegExpExecArray | null =>
  // Without the global flag, which would continue after the previous match.
  new RegExp(pattern.source, pattern.flags.replace('g', '')).exec(text)

function mainLink(links: Link[]): Link | undefined {
  return (
    links.find(({ kind }) => kind === 'verify' || kind === 'reset' || kind === 'magic') ??
    links.find(({ kind }) => kind !== 'unsubscribe')
  )
}

function isMatch({ url, text, kind }: Link, match: LinkMatch): boolean {
  if (typeof match === 'string') return url.includes(match) || text.includes(match)
  if (match instanceof RegExp) return url.search(match) >= 0 || text.search(match) >= 0
  return kind === match.kind
}

const describe = (match: LinkMatch): string => (match instanceof RegExp ? String(match) : JSON.stringify(match))
