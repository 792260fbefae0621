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
  start: number
  end: number
  children: Part[]
  /** A multipart that a limit kept us from looking into. */
  isOpaque: boolean
}

// What RFC 6838 allows, so that a type can be repeated in an HTTP header as it is.
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/

/** A part as its headers describe it; where it ends is not known yet. */
export function describePart(headers: RawHeader[], start: number, defaultType = 'text/plain'): Part {
  const contentType = parseHeaderValue(findHeader(headers, 'content-type')?.value ?? defaultType)
  const disposition = parseHeaderValue(findHeader(headers, 'content-disposition')?.value ?? '')
  return {
    // RFC 2045, 5.2: a type that is none means plain text.
    contentType: MEDIA_TYPE.test(contentType.value) ? contentType.value : 'text/plain',
    contentParameters: contentType.parameters,
    encoding: transferEncoding(findHeader(headers, 'content-transfer-encoding')?.value ?? ''),
    disposition: disposition.value,
    dispositionParameters: disposition.parameters,
    contentId: bareContentId(findHeader(headers, 'content-id')?.value ?? ''),
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

function transferEncoding(value: string): TransferEncoding {
  // As nearly all mail writes it, before what RFC 2045 allows beside that.
  if (value === '' || value === '7bit' || value === '8bit') return 'identity'
  if (value === 'base64' || value === 'quoted-printable') return value
  const name = /[\w-]+/.exec(withoutComments(value))?.[0].toLowerCase()
  return name === 'base64' || name === 'quoted-printable' ? name : 'identity'
}

function bareContentId(value: string): string | null {
  const start = value.indexOf('<')
  const end = value.indexOf('>', start)
  const id = (start >= 0 && end > start ? value.slice(start + 1, end) : value).trim()
  return id === '' || id.length > CONTENT_ID_CHARS_MAX ? null : cleanText(id)
}
