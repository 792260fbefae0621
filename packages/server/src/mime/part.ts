import { parseHeaderValue, withoutComments } from './header-value.ts'
import { cleanText, findHeader, type RawHeader } from './headers.ts'
import { CONTENT_ID_CHARS_MAX } from './limits.ts'
import type { TransferEncoding } from './transfer-encoding.ts'

/** One node of a mail. Its bytes are those of the mail from `start` to `end`; only a multipart has `children`. */
export type Part = {
  contentType: string
  contentParameters: ReadonlyMap<string, string>
  encoding: TransferEncoding
  disposition: string
  dispositionParameters: ReadonlyMap<string, string>
  contentId: string | null
  /** What the multiparts around it declare, for texts that declare none themselves. */
  outerCharset: string
  start: number
  end: number
  children: Part[]
  /** A multipart that a limit kept us from looking into. */
  isOpaque: boolean
}

const SPACE = 0x20

// What RFC 6838 allows, so that a type can be repeated in an HTTP header as it is.
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/

/** A part as its headers describe it; where it ends is not known yet. */
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

// A text that begins with more blanks than this is looked at as any other.
const BLANK_BYTES_MAX = 1024

/** Whether a part has nothing in it that a reader could see. */
export function isBlankPart(raw: Uint8Array, { start, end }: Part): boolean {
  if (end - start > BLANK_BYTES_MAX) return false
  for (let index = start; index < end; index++) if (raw[index]! > SPACE) return false
  return true
}

function mediaType(value: string): string {
  if (MEDIA_TYPE.test(value)) return value === 'multipart/*' ? 'multipart/mixed' : value
  const [type, subtype = ''] = value.split('/', 2).map((name) => name.trim())
  const isOdd = subtype === '' || subtype === '*'
  // RFC 2046, 5.1.7: a multipart that is unknown is read as mixed.
  if (type === 'multipart' && isOdd) return 'multipart/mixed'
  if (type === 'html' && isOdd) return 'text/html'
  // RFC 2045, 5.2: a type that is none means plain text.
  return MEDIA_TYPE.test(`${type}/${subtype}`) ? `${type}/${subtype}` : 'text/plain'
}

function transferEncoding(value: string): TransferEncoding {
  // As nearly all mail writes it, before what RFC 2045 allows beside that.
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
