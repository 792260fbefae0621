import { parseHeaderValue, withoutComments } from './header-value.ts'
import { cleanText, findHeader, type RawHeader } from './headers.ts'
import { CONTENT_ID_CHARS_MAX } from './limits.ts'
import type { TransferEncoding } from './transfer-encoding.ts'

/** One node of a mail, with the bytes from `start` to `end`. Only a multipart has `children`. */
export type Part = {
  contentType: string
  contentParameters: ReadonlyMap<string, string>
  encoding: TransferEncoding
  disposition: string
  dispositionParameters: ReadonlyMap<string, string>
  contentId: string | null
  /** The charset of the enclosing multiparts, for texts that declare none. */
  outerCharset: string
  start: number
  end: number
  children: Part[]
  /** A multipart that was not parsed because of a limit. */
  isOpaque: boolean
}

const SPACE = 0x20

// The syntax of RFC 6838, so that a type is safe in an HTTP header.
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/

/** A part as described by its headers. Its end is not known yet. */
export function describePart(headers: RawHeader[], start: number, parent?: Part): Part {
  const defaultType = parent?.contentType === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
  const contentType = parseHeaderValue(findHeader(headers, 'content-type')?.value ?? defaultType)
  const disposition = parseHeaderValue(findHeader(headers, 'content-disposition')?.value ?? '')
  return {
    contentType: mediaType(contentType.value),
    contentParameters: contentType.parameters,
    encoding: transferEncoding(findHeader(headers, 'content-transfer-encoding')?.value ?? ''),
    disposition: disposition.value,
    dispositionParameters: disposition.parameters,
    contentId: bareContentId(findHeader(headers, 'content-id')?.value ?? ''),
    outerCharset: parent?.contentParameters.get('charset') || parent?.outerCharset || '',
    start,
    end: start,
    children: [],
    isOpaque: false,
  }
}

export function isMultipart(part: Part): boolean {
  return part.contentType.startsWith('multipart/')
}

export function bytesOf(raw: Uint8Array, part: Part): Uint8Array {
  return raw.subarray(part.start, part.end)
}

// A text that starts with more blanks than this does not count as blank.
const BLANK_BYTES_MAX = 1024

/** Whether a part has no visible content. */
export function isBlankPart(raw: Uint8Array, { start, end }: Part): boolean {
  if (end - start > BLANK_BYTES_MAX) return false
  for (let index = start; index < end; index++) if (raw[index]! > SPACE) return false
  return true
}

function mediaType(value: string): string {
  if (MEDIA_TYPE.test(value)) return value === 'multipart/*' ? 'multipart/mixed' : value
  const [type, subtype = ''] = value.split('/', 2).map((name) => name.trim())
  const isOdd = subtype === '' || subtype === '*'
  // RFC 2046, 5.1.7: an unknown multipart is treated as mixed.
  if (type === 'multipart' && isOdd) return 'multipart/mixed'
  if (type === 'html' && isOdd) return 'text/html'
  // RFC 2045, 5.2: an invalid type means plain text.
  return MEDIA_TYPE.test(`${type}/${subtype}`) ? `${type}/${subtype}` : 'text/plain'
}

function transferEncoding(value: string): TransferEncoding {
  // The usual spellings come first, then the other ones that RFC 2045 allows.
  if (value === '' || value === '7bit' || value === '8bit') return 'identity'
  if (value === 'base64' || value === 'quoted-printable') return value
  const name = /[\w-]+/.exec(withoutComments(value))?.[0].toLowerCase() ?? ''
  if (/^base-?64$/.test(name)) return 'base64'
  if (/^quoted(?:-?printable)?$/.test(name)) return 'quoted-printable'
  return /^(?:x-?)?uu(?:e|encode|encoded)?$/.test(name) ? 'uuencode' : 'identity'
}

function bareContentId(value: string): string | null {
  const start = value.indexOf('<')
  const end = value.indexOf('>', start)
  const id = (start >= 0 && end > start ? value.slice(start + 1, end) : value).trim()
  return id === '' || id.length > CONTENT_ID_CHARS_MAX ? null : cleanText(id)
}
