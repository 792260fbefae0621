import type { Attachment } from '@mailhatch/sdk'
import type { AttachedPart } from './content.ts'
import type { WordDecoder } from './encoded-words.ts'
import { cleanText } from './headers.ts'
import { FILENAME_CHARS_MAX } from './limits.ts'
import { bytesOf, type Part } from './part.ts'
import { decodedSize } from './transfer-encoding.ts'

/** What the part of an attachment does not say itself. `references` are the `cid:` URLs in the HTML body. */
type Context = { index: number; references: Set<string>; words: WordDecoder }

export function describeAttachment(raw: Uint8Array, attached: AttachedPart, context: Context): Attachment {
  const { part, isRelated } = attached
  const { index, references, words } = context
  return {
    index,
    filename: attached.filename === undefined ? filenameOf(part, words) : safeFilename(attached.filename),
    contentType: part.contentType,
    size: decodedSize(bytesOf(raw, part), part.encoding),
    contentId: part.contentId,
    inline: part.disposition === 'inline' || (isRelated && isReferenced(part.contentId, references)),
  }
}

/** The `cid:` URLs in an HTML body, without decoding. */
export function findReferences(html: string | null, attachedParts: AttachedPart[]): Set<string> {
  const isWanted = attachedParts.some(({ part, isRelated }) => isRelated && part.contentId !== null)
  if (html === null || !isWanted) return new Set()
  return new Set(Array.from(html.matchAll(/\bcid:([^\s"'<>()]+)/gi), ([, reference]) => reference!))
}

// RFC 2392 requires percent-encoding. Many programs do not encode the id, and some also encode the @.
function isReferenced(contentId: string | null, references: Set<string>): boolean {
  if (contentId === null || references.size === 0) return false
  return [contentId, encodeURI(contentId), encodeURIComponent(contentId)].some((form) => references.has(form))
}

function filenameOf(part: Part, words: WordDecoder): string | null {
  const given = part.dispositionParameters.get('filename') || part.contentParameters.get('name')
  if (!given) return null
  // RFC 2047 forbids encoded words in quotes, but most mail programs use them there.
  return safeFilename(words.decode(given))
}

/** The last part of a path without characters that could mislead a reader or a file system. */
function safeFilename(name: string): string | null {
  const withoutPath = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  const visible = withoutPath.replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '').trim()
  const isName = visible !== '' && visible !== '.' && visible !== '..'
  return isName ? cleanText(visible.slice(0, FILENAME_CHARS_MAX)) : null
}
