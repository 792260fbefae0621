import type { Attachment } from '@mailhatch/sdk'
import type { ResourceLink } from '@modelcontextprotocol/server'
import { visibleText } from '../domain/html/visible-text.ts'
import { attachmentOf, bodyOf, cutBody } from './email-facts.ts'
import type { MailReader } from './mail-reader.ts'
import { cleanText, type Fields } from './untrusted-text.ts'

/** Characters per call. */
const PART_LENGTH_MAX = 8_000
/** Limit for text attachments, more than any agent pages through. */
const TEXT_BYTES_MAX = 1024 * 1024
const READABLE = /^(?:text\/[\w.+-]+|application\/(?:[\w.-]+\+)?(?:json|xml))$/i
const MEDIA_TYPE = /^[a-z]+\/[\w.+-]{1,80}$/i

type PartInput = { id: string; part: string; offset: number }

/** The body (`text`) or an attachment by number. Attachments that are not text become a download link. */
export async function readPart(
  { reader, url }: { reader: MailReader; url: string },
  { id, part, offset }: PartInput,
): Promise<{ fields: Fields; link: ResourceLink | null }> {
  const email = await reader.get(id)
  if (part === 'text') {
    const { text, hiddenCharacters } = bodyOf(email)
    return { fields: textFields(email.id, { text, hiddenCharacters, offset }, {}), link: null }
  }
  const attachment = email.attachments.find(({ index }) => String(index) === part)
  if (!attachment) throw new Error('The email has no such part.')
  const described = attachmentOf(attachment)
  if (!READABLE.test(attachment.contentType)) {
    return { fields: { id: email.id, untrusted: described }, link: linkTo(url, email.id, attachment) }
  }
  const bytes = await reader.attachment(email.id, { index: attachment.index, bytesMax: TEXT_BYTES_MAX })
  const decoded = new TextDecoder().decode(bytes)
  const isHtml = attachment.contentType.toLowerCase() === 'text/html'
  const { text, hiddenCharacters } = isHtml ? visibleText(decoded) : { text: decoded, hiddenCharacters: 0 }
  return { fields: textFields(email.id, { text: cleanText(text), hiddenCharacters, offset }, described), link: null }
}

type Shown = { text: string; hiddenCharacters: number; offset: number }

function textFields(id: string, { text, hiddenCharacters, offset }: Shown, described: Fields): Fields {
  const { shown, leftOut } = cutBody(text, { from: offset, lengthMax: PART_LENGTH_MAX })
  return {
    id,
    text_characters_left_out: leftOut,
    hidden_characters_dropped: hiddenCharacters,
    untrusted: { ...described, text: shown },
  }
}

/** Contains no text from the sender. */
function linkTo(url: string, id: string, { index, contentType, size }: Attachment): ResourceLink {
  return {
    type: 'resource_link',
    uri: `${url}/v1/messages/${id}/attachments/${index}`,
    name: `attachment-${index}`,
    mimeType: MEDIA_TYPE.test(contentType) ? contentType.toLowerCase() : 'application/octet-stream',
    size,
  }
}
