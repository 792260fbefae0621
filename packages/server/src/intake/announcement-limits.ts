import type { Attachment, Envelope, Header } from '@mailhatch/sdk'
import { cutText, cutToBytes } from '../domain/cut-text.ts'
import {
  BODY_BYTES_MAX,
  CONTENT_ID_CHARS_MAX,
  FILENAME_CHARS_MAX,
  HEADER_BLOCK_BYTES_MAX,
  HEADER_BYTES_MAX,
  HEADERS_MAX,
  PARTS_MAX,
  SENDER_CHARS_MAX,
} from '../mime/limits.ts'
import type { NormalAnnouncement } from './announcement.ts'

/** As many as our own parser can find: the last is what lies behind the others. */
const ATTACHMENTS_MAX = PARTS_MAX + 1

/** Two names of 127 characters (RFC 6838) and a slash. */
const CONTENT_TYPE_CHARS_MAX = 255

/** Lists are cut before they are looked at: 27 MiB have room for a million entries. */
export function withShortLists(body: unknown): { body: unknown; isCut: boolean } {
  if (typeof body !== 'object' || body === null) return { body, isCut: false }
  const { headers, attachments } = body as { headers?: unknown; attachments?: unknown }
  const isLong = (list: unknown, lengthMax: number) => Array.isArray(list) && list.length > lengthMax
  if (!isLong(headers, HEADERS_MAX) && !isLong(attachments, ATTACHMENTS_MAX)) return { body, isCut: false }
  const cut = (list: unknown, lengthMax: number): unknown => (Array.isArray(list) ? list.slice(0, lengthMax) : list)
  const shortened: object = { ...body, headers: cut(headers, HEADERS_MAX) }
  return {
    body: attachments === undefined ? shortened : { ...shortened, attachments: cut(attachments, ATTACHMENTS_MAX) },
    isCut: true,
  }
}

/**
 * What other workers announce has the limits that our own parser has: everything here is folded, searched, stored for
 * each recipient and sent with the message. What is cut stays in the raw mail, and `parse` says so.
 */
export function withinLimits(announcement: NormalAnnouncement, isCut: boolean): NormalAnnouncement {
  let isWhole = !isCut
  const keep = (text: string, lengthMax: number) => whole(text, cutText(text, lengthMax))
  const keepBytes = (text: string, bytesMax: number) => whole(text, cutToBytes(text, bytesMax))
  const whole = (text: string, kept: string) => {
    if (kept.length < text.length) isWhole = false
    return kept
  }

  // As in our parser, the last header may begin just before the limit.
  let headerUnitsLeft = HEADER_BLOCK_BYTES_MAX
  const keepHeaders = (headers: Header[]) => {
    const fitting = headers.findIndex(({ name, value }) => (headerUnitsLeft -= name.length + value.length) <= 0)
    const kept = fitting < 0 ? headers : headers.slice(0, fitting + 1)
    if (kept.length < headers.length) isWhole = false
    return kept.map(({ name, value }) => ({ name: keep(name, HEADER_BYTES_MAX), value: keep(value, HEADER_BYTES_MAX) }))
  }

  const keepAttachment = ({ filename, contentType, contentId, ...rest }: Attachment): Attachment => ({
    ...rest,
    filename: filename && keep(filename, FILENAME_CHARS_MAX),
    contentType: keep(contentType, CONTENT_TYPE_CHARS_MAX),
    // Half of one would be that of another part.
    contentId: contentId && keep(contentId, CONTENT_ID_CHARS_MAX) === contentId ? contentId : null,
  })

  const keepEnvelope = ({ mailFrom, rcptTo, helo, remoteAddress, tls, receivedVia }: Envelope): Envelope => ({
    mailFrom: keep(mailFrom, SENDER_CHARS_MAX),
    rcptTo: keep(rcptTo, SENDER_CHARS_MAX),
    helo: helo && keep(helo, SENDER_CHARS_MAX),
    remoteAddress: remoteAddress && keep(remoteAddress, SENDER_CHARS_MAX),
    tls,
    receivedVia: keep(receivedVia, SENDER_CHARS_MAX),
  })

  const { from, to, subject, rawContent, plainContent, headers, attachments, envelope, parse } = announcement
  const kept: NormalAnnouncement = {
    ...announcement,
    from: keep(from, SENDER_CHARS_MAX),
    to: keep(to, SENDER_CHARS_MAX),
    subject: keepBytes(subject, HEADER_BYTES_MAX),
    rawContent: keepBytes(rawContent, BODY_BYTES_MAX),
    plainContent: keepBytes(plainContent, BODY_BYTES_MAX),
    headers: keepHeaders(headers),
  }
  if (attachments) kept.attachments = attachments.map(keepAttachment)
  if (envelope) kept.envelope = keepEnvelope(envelope)
  if (!isWhole && parse !== 'failed') kept.parse = 'partial'
  return kept
}
