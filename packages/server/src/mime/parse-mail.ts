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
  /** See `plainTextOf`; computed here, because for large mail a thread does it. */
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

/** Reads a mail in time proportional to its size. Never throws: `parse` says how much of it could be read. */
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

/** What can be told of a mail that could not be parsed, from its first bytes. */
export function parseHeadOnly(raw: Uint8Array): ParsedMail {
  try {
    const { head } = readHead(raw.subarray(0, HEADER_BLOCK_BYTES_MAX), createWordDecoder())
    return { ...head, ...NO_BODY, parse: 'failed' }
  } catch {
    return { ...NO_HEAD, ...NO_BODY, parse: 'failed' }
  }
}

/** The text of a mail, taken from its HTML if it has no text of its own; empty if it has neither. */
export function plainTextOf({ text, html }: Pick<ParsedMail, 'text' | 'html'>): string {
  // Senders that only care about HTML often add an empty text part.
  const isBlank = text === null || text.trim() === ''
  return isBlank && html !== null ? htmlToText(html) : (text ?? '')
}

export type AttachmentSelector = { index: number } | { contentId: string }

export type AttachmentContent = { attachment: Attachment; bytes: Uint8Array }

/** One attachment with its decoded bytes, by its place in the list or its Content-ID. Never throws, as `parseMail`. */
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
  // After all others, so that these keep their places. The text stays as it was sent.
  return { text, html, attachments: [...content.attachments, ...files.map(attachedFile)] }
}

/** A mail whose lines all end in CR alone gets line feeds in their place; where everything lies stays the same. */
function withLineFeeds(raw: Uint8Array): Uint8Array {
  const lineFeed = raw.indexOf(LF)
  const isOneLine = lineFeed < 0 || lineFeed === raw.length - 1
  const firstReturn = isOneLine ? raw.indexOf(CR) : -1
  if (firstReturn < 0 || firstReturn >= raw.length - 2) return raw
  return raw.map((byte) => (byte === CR ? LF : byte))
}
