// Turns bytes into well-formed text, whatever the mail claims about them.

import { charsetOf } from './charset-label.ts'
import { CODE_PAGE_TABLES } from './code-page-tables.ts'
import { decodeIso2022Jp, hzToEuc, isIso2022Jp, shiftToEuc } from './iso-2022.ts'
import { STANDARD_LABELS } from './standard-labels.ts'
import { decodeUtf7 } from './utf7.ts'
import { decodeUtf16, decodeUtf32 } from './wide-charsets.ts'
import { decodeWindows949 } from './windows-949.ts'

type Decode = (bytes: Uint8Array) => string
/** A charset and how it is read; only `TextDecoder` can leave out the half of a character at the end of a cut. */
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
  // The code page of Western Europe from when it got its euro sign.
  ['cp858', (bytes) => decodeTable(bytes, CODE_PAGE_TABLES.get('cp850')!.replace('ı', '€'))],
])

/** Charsets in which bytes below 0x80 can mean other characters than ASCII's, so that valid UTF-8 is no hint. */
const SEVEN_BIT = new Set(['utf-7', 'iso-2022-jp', 'iso-2022-kr', 'iso-2022-cn', 'hz-gb-2312'])

const ESCAPE = '\u001b'
const ESCAPE_BYTE = 0x1b

const decoders = new Map<string, Decoder>()

/** Where a text may say which charset it is in, beside its own label. */
export type Hints = {
  /** What the multipart around it declares, or a page about itself. */
  charset?: string | null
  /** Whether the text was cut off anywhere: an incomplete last character is left out. */
  isCut?: boolean
}

/**
 * The declared charset if it is known and says anything; else what the bytes themselves show, then the hint, then
 * windows-1252.
 */
export function decodeBytes(bytes: Uint8Array, label: string, { charset: hint, isCut = false }: Hints = {}): string {
  const declared = findDecoder(label)
  const decoder = markedDecoder(bytes, declared) ?? escapedDecoder(bytes, declared) ?? declared
  return decoder ? decodeWith(decoder, bytes, isCut) : decodeUndeclared(bytes, hint ?? '', isCut)
}

/** For header bytes, which no standard gives a charset: UTF-8 if valid, else the charset of the body, else windows-1252. */
export function decodeHeaderBytes(bytes: Uint8Array, bodyCharset: string): string {
  return decodeUndeclared(bytes, bodyCharset)
}

function decodeWith({ decode, standard }: Decoder, bytes: Uint8Array, isCut: boolean): string {
  if (!isCut || !standard) return decode(bytes)
  const text = standard.decode(bytes, { stream: true })
  // Decoders are shared: this ends the stream.
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
  // Text of seven bits is valid UTF-8 whatever it is.
  if (text.includes(ESCAPE) && isIso2022Jp(bytes)) return decodeIso2022Jp(bytes)
  if (hinted && SEVEN_BIT.has(hinted.charset)) return hinted.decode(bytes)
  return isCut ? decodeWith(findDecoder('utf-8')!, bytes, true) : text
}

/** Whether two labels mean the same charset, or both nothing that can be decoded. */
export function isSameCharset(one: string, other: string): boolean {
  return one === other || findDecoder(one)?.charset === findDecoder(other)?.charset
}

/** Whether a character takes one byte, so that neighbouring bytes say nothing about each other. */
export function isSingleByte(label: string): boolean {
  const charset = charsetOf(label)
  return charset !== null && isSingleByteCharset(charset)
}

function isSingleByteCharset(charset: string): boolean {
  return /^(?:iso-8859-|windows-(?!949)|koi8|cp|ibm|mac|x-mac)/.test(charset)
}

/** A byte order mark decides, unless the label names a charset in which the same bytes are ordinary. */
function markedDecoder(bytes: Uint8Array, declared: Decoder | null): Decoder | null {
  const [first, second] = bytes
  if (first === 0xef && second === 0xbb && bytes[2] === 0xbf) return findDecoder('utf-8')
  const isMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  const isOpen = declared === null || declared.charset === 'utf-8' || declared.charset === 'windows-1252'
  return isMark && isOpen ? findDecoder('utf-16') : null
}

/** Escapes to Japanese decide over a label of another charset that begins with ASCII: its texts have no use for them. */
function escapedDecoder(bytes: Uint8Array, declared: Decoder | null): Decoder | null {
  if (declared === null || !bytes.includes(ESCAPE_BYTE)) return null
  const isOpen = declared.charset === 'utf-8' || isSingleByteCharset(declared.charset)
  return isOpen && isIso2022Jp(bytes) && decodeAscii(bytes) !== null ? findDecoder('iso-2022-jp') : null
}

/** `null` if the bytes are not valid UTF-8. Without `fatal`, because an exception costs 20 µs and a mail can have many. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  const text = utf8WithMark.decode(bytes)
  if (text.includes('\ufffd') && !isSame(encoder.encode(text), bytes)) return null
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}

/** `null` if the bytes are not all ASCII. */
export function decodeAscii(bytes: Uint8Array): string | null {
  const text = utf8WithMark.decode(bytes)
  // Characters of several bytes make the text shorter, and broken ones leave this mark.
  return text.length === bytes.length && !text.includes('\ufffd') ? text : null
}

/** One character a byte, so that offsets into the bytes are offsets into the text. */
export function decodeBytewise(bytes: Uint8Array): string {
  return windows1252().decode(bytes)
}

/** Moves a cut at `end` back to where a UTF-8 character begins; at most three bytes, so other charsets hardly notice. */
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
  // Only charsets that exist get here, so a stranger cannot make the map grow.
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
    // Labels that mean one charset share its name, because what one of them begins another may end.
    return { charset: standard.encoding, decode: (bytes) => standard.decode(bytes), standard }
  } catch {
    // Not every platform has all of them.
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
