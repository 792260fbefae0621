import type { Header } from '@mailhatch/sdk'
import { decodeAscii, decodeBytewise, decodeHeaderBytes } from './charset.ts'
import { bytesFrom, escapeRawBytes, type WordDecoder } from './encoded-words.ts'
import type { Field, HeaderBlock } from './header-block.ts'

/**
 * A header before RFC 2047 decoding. Structured headers are parsed in this form, because encoded words may hide commas.
 */
export type RawHeader = { name: string; value: string }

const ESCAPE = '\u001b'

/** The headers of a block in order, unfolded. The charset of the body helps to decode raw 8-bit bytes. */
export function readHeaders(raw: Uint8Array, block: HeaderBlock): RawHeader[] {
  const first = block.fields[0]
  if (!first) return []
  const blockBytes = raw.subarray(first.start, block.fields.at(-1)!.end)
  const ascii = decodeAscii(blockBytes)
  const text = ascii ?? decodeBytewise(blockBytes)
  const headers = block.fields.map((field) => sliceHeader(text, field, first.start))
  // Escape sequences switch to another charset, so such text is not ASCII either.
  if (ascii !== null && !ascii.includes(ESCAPE)) return headers

  let bodyCharset: string | null = null
  return headers.map((header, index) => {
    if (isPlain(header.name) && isPlain(header.value)) return header
    bodyCharset ??= declaredCharset(headers) || charsetBelow(raw, block.bodyStart)
    return decodeField(raw, block.fields[index]!, bodyCharset)
  })
}

/** The decoded headers for display. */
export function displayHeaders(rawHeaders: RawHeader[], words: WordDecoder): Header[] {
  return rawHeaders.map(({ name, value }) => ({ name: cleanText(name), value: cleanText(words.decode(value)) }))
}

/** The first header with this name. A second one must not change the meaning of the mail. */
export function findHeader<T extends RawHeader>(headers: T[], lowerCaseName: string): T | undefined {
  return headers.find(({ name }) => name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName)
}

/** Makes text valid for JSON and databases: no NUL, no lone surrogates. */
export function cleanText(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '') : text).toWellFormed()
}

function sliceHeader(text: string, field: Field, offset: number): RawHeader {
  return {
    name: trimBlanksRight(text.slice(field.start - offset, field.colon - offset)),
    value: unfold(text.slice(field.colon + 1 - offset, field.end - offset)),
  }
}

function decodeField(raw: Uint8Array, field: Field, bodyCharset: string): RawHeader {
  const value = escapeRawBytes(onePerByte(raw.subarray(field.colon + 1, field.end)))
  return {
    name: trimBlanksRight(decodeHeaderBytes(raw.subarray(field.start, field.colon), bodyCharset)),
    value: unfold(decodeHeaderBytes(bytesFrom(value), bodyCharset)),
  }
}

function onePerByte(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

// Folding adds a line break before white space that belongs to the value. A lone CR must not reach a terminal.
function unfold(value: string): string {
  if (!value.includes('\n') && !value.includes('\r')) return value.trim()
  return value.replace(/\r?\n/g, '').replaceAll('\r', ' ').trim()
}

// Not trim(): a name that differs from `From` by a no-break space is not `From`.
function trimBlanksRight(name: string): string {
  let end = name.length
  while (end > 0 && (name[end - 1] === ' ' || name[end - 1] === '\t')) end--
  return name.slice(0, end)
}

// A simple pattern is enough, because the value is only a hint for bytes that are not UTF-8.
const CHARSET = /charset\s?=\s?"?([\w.:-]{1,40})/i

function declaredCharset(headers: RawHeader[]): string {
  return CHARSET.exec(findHeader(headers, 'content-type')?.value ?? '')?.[1] ?? ''
}

// The first part of a multipart starts within these bytes.
const HINT_BYTES_MAX = 4 * 1024

/** The charset that the first part of the mail declares. */
function charsetBelow(raw: Uint8Array, start: number): string {
  return CHARSET.exec(decodeBytewise(raw.subarray(start, start + HINT_BYTES_MAX)))?.[1] ?? ''
}

function isPlain(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /^[\x00-\x1a\x1c-\x7f]*$/.test(text)
}
