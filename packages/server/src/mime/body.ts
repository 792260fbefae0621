import { cutToBytes } from '../domain/cut-text.ts'
import { decodeBytes } from './charset.ts'
import { plainFromEnriched } from './enriched-text.ts'
import { unflow } from './flowed-text.ts'
import { cleanText } from './headers.ts'
import { BODY_BYTES_MAX } from './limits.ts'
import { bytesOf, type Part } from './part.ts'
import { decodeTransfer, encodingOfText } from './transfer-encoding.ts'

export type Body = { content: string | null; isPartial: boolean }

// UTF-16 needs up to twice as many bytes as UTF-8. The rest is beyond the limit and is not decoded.
const DECODED_BYTES_MAX = 2 * BODY_BYTES_MAX + 4

// Reused, because allocating a buffer takes as long as filling it. Most texts fit.
const decodeBuffer = new Uint8Array(64 * 1024)

/** The text of a part. Null if there is none or it is empty. */
export function readBody(raw: Uint8Array, part: Part | null): Body {
  if (!part) return { content: null, isPartial: false }
  const source = bytesOf(raw, part)
  const bytes = decodeTransfer(source, encodingOfText(source, part.encoding), DECODED_BYTES_MAX, decodeBuffer)
  const isCut = bytes.length === DECODED_BYTES_MAX
  const content = cleanText(asText(bytes, part, isCut))
  const kept = cutToBytes(content, BODY_BYTES_MAX)
  return { content: kept === '' ? null : kept, isPartial: isCut || kept.length < content.length }
}

function asText(bytes: Uint8Array, part: Part, isCut: boolean): string {
  const isHtml = part.contentType === 'text/html'
  const label = part.contentParameters.get('charset') ?? ''
  const hint = (isHtml && label !== 'utf-8' && charsetOfPage(bytes)) || part.outerCharset
  const text = decodeBytes(bytes, label, { charset: hint, isCut }).replace(/\r\n/g, '\n')
  if (isHtml) return text
  if (part.contentType === 'text/enriched' || part.contentType === 'text/richtext') return plainFromEnriched(text)
  const isFlowed = part.contentParameters.get('format')?.toLowerCase() === 'flowed'
  const delSp = part.contentParameters.get('delsp')?.toLowerCase() === 'yes'
  return isFlowed ? unflow(text, delSp) : text
}

// Browsers search the same number of bytes.
const META_BYTES_MAX = 1024

const META_CHARSET = /<meta\b[^>]{0,300}?\bcharset\s?=\s?["']?([\w.:-]{1,40})/i

/** The charset that the HTML declares. UTF-7 is ignored, as in browsers, because it can hide markup. */
function charsetOfPage(bytes: Uint8Array): string | null {
  const charset = META_CHARSET.exec(latin1.decode(bytes.subarray(0, META_BYTES_MAX)))?.[1]?.toLowerCase()
  return charset === undefined || /^utf-?(?:7|16|32)/.test(charset) ? null : charset
}

const latin1 = new TextDecoder('latin1')
