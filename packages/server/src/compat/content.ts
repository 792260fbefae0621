import type { Attachment } from '@mailhatch/sdk'
import type { StoredObject } from '../bucket/bucket.ts'
import { AppError } from '../domain/errors.ts'
import { cleanHtml } from '../domain/html/clean-html.ts'
import { attachmentHeaders } from '../http/download.ts'
import type { Downloads } from '../http/downloads.ts'
import { mailPage, viewHeaders } from '../http/view-page.ts'
import { HEADER_BLOCK_BYTES_MAX } from '../mime/limits.ts'
import { readInlineImages } from '../read/inline-images.ts'
import type { StoredMessage } from '../store/messages.ts'
import { sendObject, type PeerContext } from './caller.ts'
import type { DoorPorts } from './door.ts'

type Ports = Pick<DoorPorts, 'messages'> & { downloads: Downloads }
type RawFile = { contentType: string; filename: string; isSaved: boolean }

/** The mail as it was received. */
export async function sendRaw(
  ports: Ports,
  context: PeerContext,
  message: StoredMessage,
  { isSaved, ...file }: RawFile,
): Promise<Response> {
  ports.downloads.begin(context.var.principal.keyId, context.env?.outgoing)
  const { 'content-disposition': asFile, ...headers } = attachmentHeaders(file)
  const found = await ports.messages.contents.raw(message)
  return sendObject(context, found, {
    ...headers,
    'content-type': file.contentType,
    ...(isSaved && { 'content-disposition': asFile! }),
  })
}

/** The part of a mail that may be its headers. */
export async function beginningOf({ stream }: StoredObject): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop cancels the stream.
  for await (const chunk of stream) {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length >= HEADER_BLOCK_BYTES_MAX) break
  }
  return Buffer.concat(chunks)
}

export async function sendAttachment(
  ports: Ports,
  context: PeerContext,
  message: StoredMessage,
  { index, contentType, filename, contentId }: Attachment,
): Promise<Response> {
  const { keyId: who } = context.var.principal
  ports.downloads.begin(who, context.env?.outgoing)
  const isGone = () => context.env?.outgoing?.destroyed ?? false
  const found = await ports.messages.contents.attachment(message, index, { who, isGone })
  if (!found) throw noSuchPart()
  const file = { contentType, filename: filename ?? contentId ?? `part-${index}` }
  return sendObject(context, found, attachmentHeaders(file))
}

export function noSuchPart(): AppError {
  return new AppError('message_not_found', 'The message has no such part.')
}

/** The HTML, cleaned, in an origin of its own: without scripts, forms or requests. */
export async function sendHtmlPage(
  ports: Pick<DoorPorts, 'messages'>,
  context: PeerContext,
  message: StoredMessage & { html: string },
): Promise<Response> {
  const images = await readInlineImages(ports.messages, message, { who: context.var.principal.keyId })
  const inlineImage = (contentId: string) => images.get(contentId) ?? null
  const page = mailPage(cleanHtml(message.html, { remoteImages: false, inlineImage }))
  return context.body(page, 200, viewed('text/html; charset=utf-8'))
}

/** Headers for showing a part of a mail. */
export function viewed(contentType: string): Record<string, string> {
  return viewHeaders({ contentType, remoteImages: false, ancestors: [] })
}
