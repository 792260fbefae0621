// Decodes bytes to well-formed text, even if the declared charset is wrong.

import { charsetOf } from './charset-label.ts'
import { CODE_PAGE_TABLES } from './code-page-tables.ts'
import { decodeIso2022Jp, hzToEuc, isIso2022Jp, shiftToEuc } from './iso-2022.ts'
import { STANDARD_LABELS } from './standard-labels.ts'
import { decodeUtf7 } from './utf7.ts'
import { decodeUtf16, decodeUtf32 } from './wide-charsets.ts'
import { decodeWindows949 } from './windows-949.ts'

type Decode = (bytes: Uint8Array) => string
/** A charset and its decoder. Only `TextDecoder` can drop an incomplete character at the end. */
type Decoder = { charset: string; decode: Decode; standard: TextDecoder | null }

const utf8 = new TextDecoder('utf-8')
const utf8WithMark = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

const OWN = new Map<string, Decode>([
  ['utf-7', decodeUtf7],
  ['utf-16', (bytes) => decodeUtf16(bytes) ?? decodeUndeclared(bytes)],
  ['utf-16le', (bytes) => decodeUtf16(bytes, 'utf-16le') ?? decodeUndeclared(bytes)],
  ['utf-16be', (bytes) => decodeUtf16(bytes, 'utf-16be') ?? decodeUndeclared(bytes)],
  ['utf-32', (bytes) => decodeUtf32(bytes)],
  ['utf-32le', (bytes) => decodeUtf32(bytes, true)],
  ['utf-32be', (bytes) => decodeUtf32(bytes, false)],
  ['iso-2022-jp', decodeIso2022Jp],
  ['iso-2022-kr', (bytes) => decodeWindows949(shiftToEuc(bytes))],
  ['iso-2022-cn', (bytes) => decodeBytes(shiftToEuc(bytes), 'gbk')],
  ['hz-gb-2312', (bytes) => decodeBytes(hzToEuc(bytes), 'gbk')],
  ['windows-949', decodeWindows949],
  // The code page of Western Europe with the euro sign.
  ['cp858', (bytes) => decodeTable(bytes, CODE_PAGE_TABLES.get('cp850')!.replace('ı', '€'))],
])

/** Charsets in which bytes below 0x80 are not always ASCII, so valid UTF-8 proves nothing. */
const SEVEN_BIT = new Set(['utf-7', 'iso-2022-jp', 'iso-2022-kr', 'iso-2022-cn', 'hz-gb-2312'])

const ESCAPE = '\u001b'
const ESCAPE_BYTE = 0x1b

const decoders = new Map<string, Decoder>()

/** What is known about the charset apart from the label. */
export type Hints = {
  /** The charset that the enclosing multipart or the HTML declares. */
  charset?: string | null
  /** Whether the text was cut. If so, an incomplete last character is dropped. */
  isCut?: boolean
}

/**
 * Uses the declared charset if it is known and specific, or else the charset that the bytes show, the hint, or
 * windows-1252, in this order.
 */
export function decodeBytes(bytes: Uint8Array, label: string, { charset: hint, isCut = false }: Hints = {}): string {
  const declared = findDecoder(label)
  const decoder = markedDecoder(bytes, declared) ?? escapedDecoder(bytes, declared) ?? declared
  return decoder ? decodeWith(decoder, bytes, isCut) : decodeUndeclared(bytes, hint ?? '', isCut)
}

/** Raw bytes in headers have no standard charset: UTF-8 if valid, or else the charset of the body, or windows-1252. */
export function decodeHeaderBytes(bytes: Uint8Array, bodyCharset: string): string {
  return decodeUndeclared(bytes, bodyCharset)
}

function decodeWith({ decode, standard }: Decoder, bytes: Uint8Array, isCut: boolean): string {
  if (!isCut || !standard) return decode(bytes)
  const text = standard.decode(bytes, { stream: true })
  // Ends the stream, because decoders are shared.
  standard.decode()
  return text
}

function decodeUndeclared(bytes: Uint8Array, hint = '', isCut = false): string {
  const hinted = findDecoder(hint)
  const text = decodeUtf8(isCut ? withoutBrokenEnd(bytes) : bytes)
  if (text === null) {
    const legacy = hinted && hinted.charset !== 'utf-8' ? hinted : findDecoder('windows-1252')!
    return decodeWith(legacy, bytes, isCut)
  }
  // Seven-bit text is always valid UTF-8.
  if (text.includes(ESCAPE) && isIso2022Jp(bytes)) return decodeIso2022Jp(bytes)
  if (hinted && SEVEN_BIT.has(hinted.charset)) return hinted.decode(bytes)
  return isCut ? decodeWith(findDecoder('utf-8')!, bytes, true) : text
}

/** Whether two labels mean the same charset, or neither can be decoded. */
export function isSameCharset(one: string, other: string): boolean {
  return one === other || findDecoder(one)?.charset === findDecoder(other)?.charset
}

/** Whether every character takes one byte, so that bytes are independent of each other. */
export function isSingleByte(label: string): boolean {
  const charset = charsetOf(label)
  return charset !== null && isSingleByteCharset(charset)
}

function isSingleByteCharset(charset: string): boolean {
  return /^(?:iso-8859-|windows-(?!949)|koi8|cp|ibm|mac|x-mac)/.test(charset)
}

/** A byte order mark takes precedence, unless its bytes are ordinary text in the declared charset. */
function markedDecoder(bytes: Uint8Array, declared: Decoder | null): Decoder | null {
  const [first, second] = bytes
  if (first === 0xef && second === 0xbb && bytes[2] === 0xbf) return findDecoder('utf-8')
  const isMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  const isOpen = declared === null || declared.charset === 'utf-8' || declared.charset === 'windows-1252'
  return isMark && isOpen ? findDecoder('utf-16') : null
}

/** Escapes to Japanese take precedence over a charset based on ASCII, because its texts do not contain them. */
function escapedDecoder(bytes: Uint8Array, declared: Decoder | null): Decoder | null {
  if (declared === null || !bytes.includes(ESCAPE_BYTE)) return null
  const isOpen = declared.charset === 'utf-8' || isSingleByteCharset(declared.charset)
  return isOpen && isIso2022Jp(bytes) && decodeAscii(bytes) !== null ? findDecoder('iso-2022-jp') : null
}

/**
 * Null if the bytes are not valid UTF-8. Without `fatal`, because an exception costs 20 µs and a mail can cause many.
 */
export function decodeUtf8(bytes: Uint8Array): string | null {
  const text = utf8WithMark.decode(bytes)
  if (text.includes('\ufffd') && !isSame(encoder.encode(text), bytes)) return null
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}

/** Null if the bytes are not all ASCII. */
export function decodeAscii(bytes: Uint8Array): string | null {
  const text = utf8WithMark.decode(bytes)
  // Multi-byte characters make the text shorter, and invalid bytes become the replacement character.
  return text.length === bytes.length && !text.includes('\ufffd') ? text : null
}

/** One character per byte, so that offsets in the bytes and in the text are the same. */
export function decodeBytewise(bytes: Uint8Array): string {
  return windows1252().decode(bytes)
}

/**
 * Moves a cut at `end` back to the start of a UTF-8 character. At most three bytes, so other charsets hardly change.
 */
export function characterStart(bytes: Uint8Array, end: number): number {
  let start = end
  while (start > 0 && end - start < 3 && (bytes[start]! & 0xc0) === 0x80) start--
  return start
}

function withoutBrokenEnd(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, characterStart(bytes, bytes.length - 1))
}

function findDecoder(label: string): Decoder | null {
  const charset = charsetOf(label)
  if (charset === null) return null
  const known = decoders.get(charset)
  if (known) return known
  const decoder = createDecoder(charset)
  // Only existing charsets get here, so hostile mail cannot make the map grow.
  if (decoder) decoders.set(charset, decoder)
  return decoder
}

function createDecoder(charset: string): Decoder | null {
  if (charset === 'utf-8') return { charset, decode: (bytes) => utf8.decode(bytes), standard: utf8 }
  const own = OWN.get(charset)
  if (own) return { charset, decode: own, standard: null }
  const table = CODE_PAGE_TABLES.get(charset)
  if (table) return { charset, decode: (bytes) => decodeTable(bytes, table), standard: null }
  if (!STANDARD_LABELS.has(charset)) return null
  try {
    const standard = new TextDecoder(charset)
    // All labels of a charset share its name, because one encoded word may continue another.
    return { charset: standard.encoding, decode: (bytes) => standard.decode(bytes), standard }
  } catch {
    // Not every platform has all decoders.
    return null
  }
}

function decodeTable(bytes: Uint8Array, table: string): string {
  const units = new Uint16Array(bytes.length)
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!
    units[index] = byte < 0x80 ? byte : table.charCodeAt(byte - 0x80)
  }
  return utf16le.decode(units)
}

const utf16le = new TextDecoder('utf-16le', { ignoreBOM: true })

function windows1252(): TextDecoder {
  return findDecoder('windows-1252')?.standard ?? utf8
}
