import { CODE_PAGE_TABLES } from '../../src/mime/code-page-tables.ts'
import { latin1, utf8 } from './byte-text.ts'

const ESCAPE = '\x1b'
const UTF16_MARK = '\ufeff'

/** A text in a charset, one character per byte, from inverted tables. Throws if the charset lacks a character. */
export function encodeIn(charset: string, text: string): string {
  const own = OWN[charset]
  if (own) return own(text)
  const table = tableOf(charset)
  return Array.from(text, (character) => {
    const bytes = character < '\x80' ? character : table.get(character)
    if (bytes === undefined) throw new Error(`${charset} has no ${character}`)
    return bytes
  }).join('')
}

const OWN: Record<string, (text: string) => string> = {
  'utf-8': utf8,
  'iso-2022-jp': (text) => shifted(text, 'euc-jp', { start: `${ESCAPE}$B`, end: `${ESCAPE}(B` }),
  'utf-16le': (text) => utf16(text, true),
  'utf-16be': (text) => utf16(text, false),
}

export function utf16(text: string, isLittle: boolean): string {
  const bytes = new DataView(new ArrayBuffer(2 * text.length))
  for (let index = 0; index < text.length; index++) bytes.setUint16(2 * index, text.charCodeAt(index), isLittle)
  return latin1(new Uint8Array(bytes.buffer))
}

export const marked = (text: string, isLittle: boolean): string => utf16(UTF16_MARK + text, isLittle)

/** Runs of two-byte characters between escapes, with the high bit cleared. */
function shifted(text: string, euc: string, { start, end }: { start: string; end: string }): string {
  return text.replace(/[^\0-\x7f]+/g, (run) => {
    const bytes = Array.from(encodeIn(euc, run), (byte) => byte.charCodeAt(0) & 0x7f)
    return start + latin1(bytes) + end
  })
}

const tables = new Map<string, Map<string, string>>()

function tableOf(charset: string): Map<string, string> {
  const known = tables.get(charset)
  if (known) return known
  const table = CODE_PAGE_TABLES.has(charset) ? codePage(CODE_PAGE_TABLES.get(charset)!) : reversed(charset)
  tables.set(charset, table)
  return table
}

function codePage(characters: string): Map<string, string> {
  return new Map(Array.from(characters, (character, index) => [character, String.fromCharCode(0x80 + index)]))
}

/** Inverts `TextDecoder` for every byte and pair of bytes. The first spelling of a character counts. */
function reversed(charset: string): Map<string, string> {
  const decoder = new TextDecoder(charset)
  const table = new Map<string, string>()
  const add = (...bytes: number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes))
    const isOne = Array.from(text).length === 1 && text !== '\ufffd' && text > '\x7f'
    if (isOne && !table.has(text)) table.set(text, latin1(bytes))
  }
  for (let byte = 0x80; byte < 0x100; byte++) add(byte)
  if (table.size > 64) return table
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) add(lead, trail)
  return table
}
