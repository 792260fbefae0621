import type { Attachment } from '@mailhatch/sdk'
import { inlineImageIds } from '../domain/html/clean-html.ts'
import type { StoredMessage } from '../store/messages.ts'
import type { Contents } from './content.ts'

/** Bytes read for all images of one mail, each counted once. The output has its own limit. */
const INLINE_BYTES_MAX = 5 * 1024 * 1024
/** Each is searched for in the mail, which can be large. */
const INLINE_IMAGES_MAX = 30

/** Raster images; other types are never shown as images. */
const IMAGE_TYPE = /^image\/(?:png|gif|jpe?g|webp|avif|bmp)$/i

type Ports = { contents: Pick<Contents, 'attachments'> }

/** The images that the HTML refers to by `cid:`, as `data:` URLs by content id, as many as fit. */
export async function readInlineImages(
  { contents }: Ports,
  message: StoredMessage,
  reader: { who: string },
): Promise<Map<string, string>> {
  const chosen = chooseImages(message)
  const images = new Map<string, string>()
  if (chosen.size === 0) return images
  const found = await contents.attachments(
    message,
    Array.from(chosen.values(), ({ index }) => index),
    reader,
  )
  for (const [contentId, attachment] of chosen) {
    const bytes = found.get(attachment.index)
    if (bytes) images.set(contentId, dataUrl(attachment, bytes))
  }
  return images
}

function chooseImages({ html, attachments }: StoredMessage): Map<string, Attachment> {
  const chosen = new Map<string, Attachment>()
  // A hostile mail refers to many thousands of ids, so none of them is searched for in a list. The first of an id counts.
  const attached = new Map(attachments.toReversed().map((attachment) => [attachment.contentId, attachment]))
  attached.delete(null)
  if (attached.size === 0) return chosen
  let bytesLeft = INLINE_BYTES_MAX
  for (const contentId of inlineImageIds(html ?? '')) {
    const attachment = attached.get(contentId)
    if (!attachment || !isImage(attachment) || attachment.size > bytesLeft || chosen.size >= INLINE_IMAGES_MAX) continue
    bytesLeft -= attachment.size
    chosen.set(contentId, attachment)
  }
  return chosen
}

/** Null if it is not an image or cannot be read. */
export async function readImage(
  { contents }: Ports,
  message: StoredMessage,
  attachment: Attachment,
  reader: { who: string },
): Promise<string | null> {
  if (!isImage(attachment) || attachment.size > INLINE_BYTES_MAX) return null
  const bytes = (await contents.attachments(message, [attachment.index], reader)).get(attachment.index)
  return bytes ? dataUrl(attachment, bytes) : null
}

export function isImage({ contentType }: Attachment): boolean {
  return IMAGE_TYPE.test(contentType)
}

function dataUrl({ contentType }: Attachment, bytes: Uint8Array): string {
  return `data:${contentType.toLowerCase()};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}`
}
