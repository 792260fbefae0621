import { findWords } from './encoded-words.ts'
import { ADDRESS_LIST_CHARS_MAX } from './limits.ts'

/** A mailbox of a header. Encoded words in its name are not decoded yet. */
export type ParsedMailbox = { address: string; name: string }

const NONE: ParsedMailbox = { address: '', name: '' }

/**
 * The first mailbox of an address list (RFC 5322, 3.4) that has an address, or else a name. Parses groups, comments,
 * routes, quoted local parts and common errors in them, in one pass.
 */
export function firstMailbox(field: string): ParsedMailbox {
  // Without a closing semicolon there is no group, and a colon is an ordinary character.
  const reader = createReader(field, field.lastIndexOf(';'))
  let best = NONE
  while (!reader.isAtEnd()) {
    const mailbox = readMailbox(reader, best.name)
    if (mailbox.address) return mailbox
    if (mailbox.name) best = mailbox
  }
  return best
}

/** All addresses of a list such as To, in order, including members of groups. */
export function addressesIn(field: string): string[] {
  const value = field.slice(0, ADDRESS_LIST_CHARS_MAX)
  const reader = createReader(value, value.lastIndexOf(';'))
  const addresses: string[] = []
  while (!reader.isAtEnd()) {
    const { address } = readMailbox(reader, '')
    if (address) addresses.push(address)
  }
  return addresses
}

/**
 * All mailboxes of a decoded list, in order, up to a number. A name before a comma belongs to the next address with a
 * name: `Lee, Ann <ann@shop.example>` was encoded, and decoding has removed its quotes.
 */
export function mailboxesIn(field: string, mailboxesMax: number): ParsedMailbox[] {
  const reader = createReader(field, field.lastIndexOf(';'))
  const mailboxes: ParsedMailbox[] = []
  let before = ''
  while (!reader.isAtEnd() && mailboxes.length < mailboxesMax) {
    const { address, name } = readMailbox(reader, '')
    const whole = before !== '' && name !== '' ? `${before}, ${name}` : name
    if (address) mailboxes.push({ address, name: whole })
    before = address ? '' : whole
  }
  return mailboxes
}

/** `text` is unchanged, `quoted` has no quotes, `bracket` is an address between `<` and `>`. */
type Token = { kind: 'text' | 'quoted' | 'comment' | 'bracket' | 'end'; value: string }
type Reader = { next(): Token; isAtEnd(): boolean }

function readMailbox(reader: Reader, before: string): ParsedMailbox {
  const phrase: Token[] = []
  const comments: string[] = []
  let address: string | null = null
  while (!reader.isAtEnd()) {
    const token = reader.next()
    if (token.kind === 'end') {
      // The name of a group is not the name of a sender.
      if (token.value === ':') return NONE
      break
    }
    if (token.kind === 'comment') comments.push(token.value.trim())
    else if (token.kind === 'bracket') address ||= cleanAddress(token.value)
    else phrase.push(token)
  }
  const found = address === null ? takeAddress(phrase) : { address, name: textOf(phrase) }
  const name = found.name || comments.filter(Boolean).join(' ')
  // An unquoted comma in a name: `Lee, Ann <ann@shop.example>`.
  const whole = before !== '' && name !== '' ? `${before}, ${name}` : before || name
  return { address: found.address, name: isNameOf(whole, found.address) ? whole : '' }
}

function isNameOf(name: string, address: string): boolean {
  return name.toLowerCase() !== address.toLowerCase()
}

/** Without brackets, the address is the word with an `@`, and the rest is the name. */
function takeAddress(phrase: Token[]): ParsedMailbox {
  const written = phrase.map(({ kind, value }) => (kind === 'quoted' ? quote(value) : value)).join('')
  if (!written.includes('@')) return { address: '', name: textOf(phrase) }
  const words = written.replace(/(?<=\S)[ \t]+@|@[ \t]+(?=\S)/g, '@').match(/(?:"(?:[^"\\]|\\[^])*"|[^\s"]|")+/g) ?? []
  const place = words.findIndex((word) => isAddress(word))
  if (place < 0) return { address: '', name: textOf(phrase) }
  const others = words.filter((_, index) => index !== place).join(' ')
  return { address: cleanAddress(words[place]!), name: unquoted(others) }
}

function isAddress(word: string): boolean {
  const at = word.lastIndexOf('@')
  return at > 0 && at < word.length - 1 && !word.startsWith('=?')
}

/** Removes comments, blanks, a route, `mailto:`, and quotes that the local part does not need. */
function cleanAddress(written: string): string {
  const reader = createReader(written, written.length)
  let address = ''
  while (!reader.isAtEnd()) {
    const { kind, value } = reader.next()
    if (kind === 'comment') continue
    // RFC 5322, 4.4: a route names hosts on the way and is ignored.
    const isPrefix = kind === 'end' && value === ':' && (address.startsWith('@') || /^mailto$/i.test(address))
    if (isPrefix) address = ''
    else if (kind === 'quoted') address += isAtom(value) && address === '' ? value : quote(value)
    else address += kind === 'bracket' ? value : value.replace(/\s+/g, '')
  }
  const outsideQuotes = address.replace(/"(?:[^"\\]|\\[^])*"/g, '')
  return /[<>\p{Cc}]/u.test(outsideQuotes) ? '' : address
}

function isAtom(text: string): boolean {
  return /^[^\s"(),:;<>@\\[\].]+(?:\.[^\s"(),:;<>@\\[\].]+)*$/.test(text)
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

function textOf(phrase: Token[]): string {
  const text = phrase.map(({ value }) => value).join('')
  return unquoted(text.replace(/\s+/g, ' '))
}

/** Removes quotes around the name, which some programs add, and a first double quote without a second one. */
function unquoted(name: string): string {
  const trimmed = name.trim()
  const inner = /^'([^']*)'$/.exec(trimmed)?.[1] ?? /^"([^"\\]*)"$/.exec(trimmed)?.[1]
  return (inner ?? trimmed.replace(/^"(?=[^"]*$)/, '')).trim()
}

/** Reads tokens from the left. Encoded words are always text. A colon is special only before `colonsEnd`. */
function createReader(field: string, colonsEnd: number): Reader {
  const wordEnds = new Map(field.includes('=?') ? Array.from(findWords(field), ({ start, end }) => [start, end]) : [])
  let position = 0
  let areQuotesSigns = false

  function next(): Token {
    const start = position
    const sign = field[start]!
    if (sign === '"') return quotedOrSign(start)
    if (sign === '(') return { kind: 'comment', value: readComment(start) }
    if (sign === '<') return { kind: 'bracket', value: readBracket(start) }
    if (sign === ',' || sign === ';' || (sign === ':' && start < colonsEnd)) {
      position++
      return { kind: 'end', value: sign }
    }
    return { kind: 'text', value: readText(start) }
  }

  function readText(start: number): string {
    position = wordEnds.get(start) ?? start + 1
    while (position < field.length && !'"(<,;:'.includes(field[position]!))
      position = wordEnds.get(position) ?? position + 1
    return field.slice(start, position)
  }

  function quotedOrSign(start: number): Token {
    let end = start + 1
    while (!areQuotesSigns && end < field.length && field[end] !== '"') end += field[end] === '\\' ? 2 : 1
    if (end >= field.length || areQuotesSigns) {
      // A quote that never ends is dropped, and so are later ones.
      areQuotesSigns = true
      position = start + 1
      return { kind: 'text', value: '' }
    }
    position = end + 1
    return { kind: 'quoted', value: field.slice(start + 1, end).replace(/\\([^])/g, '$1') }
  }

  function readComment(start: number): string {
    let depth = 0
    let end = start
    for (; end < field.length; end++) {
      if (field[end] === '\\') end++
      else if (field[end] === '(') depth++
      else if (field[end] === ')' && --depth === 0) break
    }
    position = Math.min(end + 1, field.length)
    return field.slice(start + 1, end).replace(/\\([^])/g, '$1')
  }

  function readBracket(start: number): string {
    let from = start + 1
    while (field[from] === '<' || field[from] === ' ') from++
    let end = from
    let isQuoted = false
    for (; end < field.length; end++) {
      if (field[end] === '\\') end++
      else if (field[end] === '"') isQuoted = !isQuoted
      else if (field[end] === '>' && !isQuoted) break
    }
    if (end >= field.length) end = unquotedBracket(from)
    position = end + 1
    while (field[position] === '>') position++
    return field.slice(from, end)
  }

  /** Contains a quote that never ends. */
  function unquotedBracket(from: number): number {
    const end = field.indexOf('>', from)
    return end < 0 ? field.length : end
  }

  return { next, isAtEnd: () => position >= field.length }
}
