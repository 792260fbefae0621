import type { Attachment } from '@mailhatch/sdk'
import { inlineImageIds } from '../domain/clean-html.ts'
import type { StoredMessage } from '../store/store.ts'
import type { Contents } from './content.ts'

/** All images of one mail together: they become part of a page, a third larger than they are. */
const INLINE_BYTES_MAX = 5 * 1024 * 1024
/** The mail is read anew for each. */
const INLINE_IMAGES_MAX = 30

/** Pictures of dots; whatever else a type says is never shown as a picture. */
const IMAGE_TYPE = /^image\/(?:png|gif|jpe?g|webp|avif|bmp)$/i

type Ports = { contents: Pick<Contents, 'attachment'> }

/** What the HTML shows by `cid:`, as `data:` addresses by content id; the first that fit. */
export async function readInlineImages({ contents }: Ports, message: StoredMessage): Promise<Map<string, string>> {
  const images = new Map<string, string>()
  let bytesLeft = INLINE_BYTES_MAX
  for (const contentId of inlineImageIds(message.html ?? '')) {
    const attachment = message.attachments.find((one) => one.contentId === contentId)
    if (!attachment || attachment.size > bytesLeft || images.size >= INLINE_IMAGES_MAX) continue
    const image = await readImage({ contents }, message, attachment)
    if (!image) continue
    bytesLeft -= attachment.size
    images.set(contentId, image)
  }
  return images
}

/** Null when it is no picture, or cannot be read. */
export async function readImage(
  { contents }: Ports,
  message: StoredMessage,
  { index, contentType, size }: Attachment,
): Promise<string | null> {
  if (!IMAGE_TYPE.test(contentType) || size > INLINE_BYTES_MAX) return null
  const bytes = await contents.attachment(message, index, { isGone: () => false, sent: async () => {} })
  return bytes && `data:${contentType.toLowerCase()};base64,${Buffer.from(bytes).toString('base64')}`
}
