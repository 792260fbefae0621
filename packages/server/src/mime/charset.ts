// Turns bytes into well-formed text, whatever the mail claims about them.

const utf8 = new TextDecoder('utf-8')
const utf8WithMark = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

// Labels seen in mail that the Encoding Standard does not list.
const ALIASES = new Map([
  ['cp932', 'shift_jis'],
  ['cp936', 'gbk'],
  ['cp949', 'euc-kr'],
  ['cp950', 'big5'],
  ['cp51932', 'euc-jp'],
  ['cp50220', 'iso-2022-jp'],
  ['iso-2022-jp-1', 'iso-2022-jp'],
  ['iso-2022-jp-2', 'iso-2022-jp'],
  ['iso-2022-jp-ms', 'iso-2022-jp'],
  ['iso8859-8-i', 'iso-8859-8-i'],
  ['uhc', 'euc-kr'],
  ['windows-949', 'euc-kr'],
  ['utf8mb4', 'utf-8'],
])

// Senders write these (or nothing) over bytes of any kind, so the bytes are looked at first.
const VAGUE_LABELS = new Set(['', 'us-ascii', 'ascii', 'ansi_x3.4-1968', 'binary', 'unknown', 'unknown-8bit', '8bit'])

// Labels longer than any real one are not worth an attempt.
const LABEL_CHARS_MAX = 40

const decoders = new Map<string, TextDecoder>()

/** The declared charset if it is known, else UTF-8 if the bytes are valid UTF-8, else windows-1252. */
export function decodeBytes(bytes: Uint8Array, charset: string): string {
  const decoder = findDecoder(charset)
  if (decoder) return decoder.decode(bytes)
  return decodeUtf8(bytes) ?? windows1252().decode(bytes)
}

/** Like `decodeBytes`, for bytes that were cut off anywhere: an incomplete last character is left out. */
export function decodeCutBytes(bytes: Uint8Array, charset: string): string {
  const decoder = findDecoder(charset) ?? (decodeUtf8(withoutBrokenEnd(bytes)) === null ? windows1252() : utf8)
  const text = decoder.decode(bytes, { stream: true })
  // Decoders are shared: this ends the stream.
  decoder.decode()
  return text
}

/** For header bytes, which no standard gives a charset: UTF-8 if valid, else the charset of the body, else windows-1252. */
export function decodeHeaderBytes(bytes: Uint8Array, bodyCharset: string): string {
  return decodeUtf8(bytes) ?? declaredLegacyDecoder(bodyCharset).decode(bytes)
}

/** `null` if the bytes are not valid UTF-8. Without `fatal`, because an exception costs 20 µs and a mail can have many. */
function decodeUtf8(bytes: Uint8Array): string | null {
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

function declaredLegacyDecoder(charset: string): TextDecoder {
  const decoder = findDecoder(charset)
  return decoder && decoder !== utf8 ? decoder : windows1252()
}

function withoutBrokenEnd(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, characterStart(bytes, bytes.length - 1))
}

function findDecoder(charset: string): TextDecoder | null {
  const label = charset.trim().toLowerCase()
  if (label === 'utf-8' || label === 'utf8') return utf8
  if (VAGUE_LABELS.has(label) || label.length > LABEL_CHARS_MAX) return null
  const known = decoders.get(label)
  if (known) return known
  try {
    const decoder = new TextDecoder(ALIASES.get(label) ?? label)
    // Only labels that exist get here, so a stranger cannot make the map grow.
    decoders.set(label, decoder)
    return decoder
  } catch {
    return null
  }
}

function windows1252(): TextDecoder {
  return findDecoder('windows-1252') ?? utf8
}
