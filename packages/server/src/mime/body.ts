import { cutToBytes } from '../domain/cut-text.ts'
import { decodeBytes, decodeCutBytes } from './charset.ts'
import { unflow } from './flowed-text.ts'
import { cleanText } from './headers.ts'
import { BODY_BYTES_MAX } from './limits.ts'
import { bytesOf, type Part } from './part.ts'
import { decodeTransfer } from './transfer-encoding.ts'

export type Body = { content: string | null; isPartial: boolean }

// UTF-16 needs twice the room of UTF-8; more than that cannot end within the limit, so it is not decoded at all.
const DECODED_BYTES_MAX = 2 * BODY_BYTES_MAX + 4

// Most texts fit. New room for each of them would take as long to get as it takes to fill.
const decodingRoom = new Uint8Array(64 * 1024)

/** The text of parts of one type, joined by line breaks; `null` if there are none or all are empty. */
export function readBody(raw: Uint8Array, parts: Part[]): Body {
  const texts: string[] = []
  let length = 0
  let isPartial = false
  for (const part of parts) {
    if (length > BODY_BYTES_MAX) {
      isPartial = true
      break
    }
    const text = readText(raw, part)
    texts.push(text.content)
    length += text.content.length + 1
    isPartial ||= text.isPartial
  }
  const content = cleanText(texts.length === 1 ? texts[0]! : texts.join('\n'))
  const kept = cutToBytes(content, BODY_BYTES_MAX)
  return { content: kept === '' ? null : kept, isPartial: isPartial || kept.length < content.length }
}

function readText(raw: Uint8Array, part: Part): { content: string; isPartial: boolean } {
  const bytes = decodeTransfer(bytesOf(raw, part), part.encoding, DECODED_BYTES_MAX, decodingRoom)
  const isPartial = bytes.length === DECODED_BYTES_MAX
  const charset = part.contentParameters.get('charset') ?? ''
  const text = (isPartial ? decodeCutBytes : decodeBytes)(bytes, charset).replace(/\r\n/g, '\n')
  if (part.contentType === 'text/html') return { content: text, isPartial }
  const isFlowed = part.contentParameters.get('format')?.toLowerCase() === 'flowed'
  const delSp = part.contentParameters.get('delsp')?.toLowerCase() === 'yes'
  return { content: isFlowed ? unflow(text, delSp) : text, isPartial }
}
