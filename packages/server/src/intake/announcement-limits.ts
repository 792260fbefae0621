import type { Attachment, Header } from '@mailhatch/sdk'
import type { NamedEnvelope } from '../domain/envelope.ts'
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
  SUBJECT_CHARS_MAX,
} from '../mime/limits.ts'
import type { NormalAnnouncement } from './normal-announcement.ts'

/** The maximum of our own parser; the last one is the unparsed rest. */
const ATTACHMENTS_MAX = PARTS_MAX + 1

/** Two names of 127 characters (RFC 6838) and a slash. */
const CONTENT_TYPE_CHARS_MAX = 255

/** Lists are cut before validation: 27 MiB can contain a million entries. */
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
 * Applies the limits of our own parser to announcements of other workers, because everything here is folded, searched,
 * stored per recipient and returned with the message. The raw mail keeps what is cut, and `parse` becomes `partial`.
 */
export function withinLimits(announcement: NormalAnnouncement, isCut: boolean): NormalAnnouncement {
  let isComplete = !isCut
  const keep = (text: string, lengthMax: number) => noteCut(text, cutText(text, lengthMax))
  const keepBytes = (text: string, bytesMax: number) => noteCut(text, cutToBytes(text, bytesMax))
  const noteCut = (text: string, kept: string) => {
    if (kept.length < text.length) isComplete = false
    return kept
  }

  // As in our parser, the last header may start just before the limit.
  let headerUnitsLeft = HEADER_BLOCK_BYTES_MAX
  const keepHeaders = (headers: Header[]) => {
    const fitting = headers.findIndex(({ name, value }) => (headerUnitsLeft -= name.length + value.length) <= 0)
    const kept = fitting < 0 ? headers : headers.slice(0, fitting + 1)
    if (kept.length < headers.length) isComplete = false
    return kept.map(({ name, value }) => ({ name: keep(name, HEADER_BYTES_MAX), value: keep(value, HEADER_BYTES_MAX) }))
  }

  const keepAttachment = ({ filename, contentType, contentId, ...rest }: Attachment): Attachment => ({
    ...rest,
    filename: filename && keep(filename, FILENAME_CHARS_MAX),
    contentType: keep(contentType, CONTENT_TYPE_CHARS_MAX),
    // A truncated content id could match another part.
    contentId: contentId && keep(contentId, CONTENT_ID_CHARS_MAX) === contentId ? contentId : null,
  })

  const keepEnvelope = ({
    mailFrom,
    rcptTo,
    helo,
    remoteAddress,
    tls,
    receivedVia,
    username,
  }: NamedEnvelope): NamedEnvelope => ({
    mailFrom: keep(mailFrom, SENDER_CHARS_MAX),
    rcptTo: keep(rcptTo, SENDER_CHARS_MAX),
    helo: helo && keep(helo, SENDER_CHARS_MAX),
    remoteAddress: remoteAddress && keep(remoteAddress, SENDER_CHARS_MAX),
    tls,
    receivedVia: keep(receivedVia, SENDER_CHARS_MAX),
    ...(username !== undefined && { username: keep(username, SENDER_CHARS_MAX) }),
  })

  const { from, to, subject, rawContent, plainContent, headers, attachments, envelope, parse } = announcement
  const kept: NormalAnnouncement = {
    ...announcement,
    from: keep(from, SENDER_CHARS_MAX),
    to: keep(to, SENDER_CHARS_MAX),
    subject: keep(subject, SUBJECT_CHARS_MAX),
    rawContent: keepBytes(rawContent, BODY_BYTES_MAX),
    plainContent: keepBytes(plainContent, BODY_BYTES_MAX),
    headers: keepHeaders(headers),
  }
  if (attachments) kept.attachments = attachments.map(keepAttachment)
  if (envelope) kept.envelope = keepEnvelope(envelope)
  if (!isComplete && parse !== 'failed') kept.parse = 'partial'
  return kept
}
