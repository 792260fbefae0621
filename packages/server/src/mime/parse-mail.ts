import type { Attachment, Header, ParseState } from '@mailhatch/sdk'
import { cutText } from '../domain/cut-text.ts'
import { htmlToText } from '../domain/html/html-text.ts'
import { describeAttachment, findReferences } from './attachment.ts'
import { readBody } from './body.ts'
import { type AttachedPart, sortParts } from './content.ts'
import { createWordDecoder, type WordDecoder } from './encoded-words.ts'
import { filesInText, attachedFile } from './files-in-text.ts'
import { findHead } from './head.ts'
import { displayHeaders, findHeader, readHeaders } from './headers.ts'
import { HEADER_BLOCK_BYTES_MAX, SUBJECT_CHARS_MAX } from './limits.ts'
import { bytesOf, describePart, isBlankPart, type Part } from './part.ts'
import { readSender } from './sender.ts'
import { readStructure } from './structure.ts'
import { decodeTransfer } from './transfer-encoding.ts'

export type ParsedMail = {
  headers: Header[]
  from: string
  fromName: string | null
  subject: string
  html: string | null
  text: string | null
  /** See `plainTextOf`. Computed here, so that a thread does it for large mail. */
  plainText: string
  attachments: Attachment[]
  parse: ParseState
}

type Head = Pick<ParsedMail, 'headers' | 'from' | 'fromName' | 'subject'>
type Body = Pick<ParsedMail, 'html' | 'text' | 'plainText' | 'attachments'>

const LF = 0x0a
const CR = 0x0d

const NO_HEAD: Head = { headers: [], from: '', fromName: null, subject: '' }
const NO_BODY: Body = { html: null, text: null, plainText: '', attachments: [] }

/** Parses a mail in linear time. Never throws: `parse` says how much could be read. */
export function parseMail(received: Uint8Array): ParsedMail {
  const raw = withLineFeeds(received)
  const words = createWordDecoder()
  let head = NO_HEAD
  try {
    const start = readHead(raw, words)
    head = start.head
    const rest = readRest(raw, start.root, words)
    const isPartial = start.isPartial || rest.isPartial || words.isExhausted()
    return { ...head, ...rest.body, parse: isPartial ? 'partial' : 'complete' }
  } catch {
    return { ...head, ...NO_BODY, parse: 'failed' }
  }
}

/** The result for a mail of which nothing could be read. */
export const UNREADABLE: ParsedMail = { ...NO_HEAD, ...NO_BODY, parse: 'failed' }

/** Parses only the headers, from the first bytes of a mail that could not be parsed. */
export function parseHeadOnly(raw: Uint8Array): ParsedMail {
  try {
    const { head } = readHead(raw.subarray(0, HEADER_BLOCK_BYTES_MAX), createWordDecoder())
    return { ...head, ...NO_BODY, parse: 'failed' }
  } catch {
    return UNREADABLE
  }
}

/** The text of a mail, or else the text of its HTML. Empty if it has neither. */
export function plainTextOf({ text, html }: Pick<ParsedMail, 'text' | 'html'>): string {
  // Mail with HTML often has an empty text part.
  const isBlank = text === null || text.trim() === ''
  return isBlank && html !== null ? htmlToText(html) : (text ?? '')
}

export type AttachmentSelector = { index: number } | { contentId: string }

export type AttachmentContent = { attachment: Attachment; bytes: Uint8Array }

/** One attachment with its decoded bytes, by index or Content-ID. Never throws, like `parseMail`. */
export function readAttachment(raw: Uint8Array, selector: AttachmentSelector): AttachmentContent | null {
  try {
    return findAttachment(raw, selector)
  } catch {
    return null
  }
}

function findAttachment(received: Uint8Array, selector: AttachmentSelector): AttachmentContent | null {
  const raw = withLineFeeds(received)
  const words = createWordDecoder()
  const { root } = readHead(raw, words)
  readStructure(raw, root)
  const { html, attachments } = readContent(raw, root)
  const index =
    'index' in selector ? selector.index : attachments.findIndex(({ part }) => part.contentId === selector.contentId)
  const attached = attachments[index]
  if (!attached) return null
  const references = findReferences(html.content, [attached])
  return {
    attachment: describeAttachment(raw, attached, { index, references, words }),
    bytes: decodeTransfer(bytesOf(raw, attached.part), attached.part.encoding),
  }
}

function readHead(raw: Uint8Array, words: WordDecoder): { head: Head; root: Part; isPartial: boolean } {
  const block = findHead(raw)
  const rawHeaders = readHeaders(raw, block)
  const headers = displayHeaders(rawHeaders, words)
  const { from, fromName, isPartial: isSenderPartial } = readSender(rawHeaders)
  const subject = findHeader(headers, 'subject')?.value ?? ''
  return {
    head: { headers, from, fromName, subject: cutText(subject, SUBJECT_CHARS_MAX) },
    root: describePart(rawHeaders, block.bodyStart),
    isPartial: block.isPartial || isSenderPartial || subject.length > SUBJECT_CHARS_MAX,
  }
}

function readRest(raw: Uint8Array, root: Part, words: WordDecoder): { body: Body; isPartial: boolean } {
  const isStructurePartial = readStructure(raw, root)
  const { text, html, attachments } = readContent(raw, root)
  const references = findReferences(html.content, attachments)
  const describe = (attached: AttachedPart, index: number) =>
    describeAttachment(raw, attached, { index, references, words })
  const bodies = { text: text.content, html: html.content }
  return {
    body: { ...bodies, plainText: plainTextOf(bodies), attachments: attachments.map(describe) },
    isPartial: isStructurePartial || html.isPartial || text.isPartial,
  }
}

function readContent(raw: Uint8Array, root: Part) {
  const content = sortParts(root, (part) => isBlankPart(raw, part))
  const html = readBody(raw, content.html)
  const text = readBody(raw, content.text)
  const files = content.text ? filesInText(raw, content.text, text.content) : []
  // After all other attachments, so that their indexes do not change. The text stays unchanged.
  return { text, html, attachments: [...content.attachments, ...files.map(attachedFile)] }
}

/** Replaces CR with LF in a mail whose lines all end in CR alone. Offsets do not change. */
function withLineFeeds(raw: Uint8Array): Uint8Array {
  const lineFeed = raw.indexOf(LF)
  const isOneLine = lineFeed < 0 || lineFeed === raw.length - 1
  const firstReturn = isOneLine ? raw.indexOf(CR) : -1
  if (firstReturn < 0 || firstReturn >= raw.length - 2) return raw
  return raw.map((byte) => (byte === CR ? LF : byte))
}
