import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import type { Attachment } from '@mailhatch/sdk'

export type NamedAttachment = Attachment & { generatedFileName: string }

const EXTENSIONS = new Map([
  ['image/jpeg', '.jpg'],
  ['image/png', '.png'],
  ['image/gif', '.gif'],
  ['image/webp', '.webp'],
  ['application/pdf', '.pdf'],
  ['text/plain', '.txt'],
  ['text/html', '.html'],
  ['application/json', '.json'],
])

/**
 * The attachments with the names by which paths find them. They are those of version 3, which are a hash, because file names
 * may contain anything. Where MailDev has one name for two files, ours differ.
 */
export function nameAttachments(attachments: Attachment[]): NamedAttachment[] {
  const taken = new Set<string>()
  return attachments.map((attachment) => {
    const { filename, size, contentId, contentType, index } = attachment
    const extension = extname(filename ?? '') || (EXTENSIONS.get(contentType) ?? '')
    const source = contentId ?? `${filename ?? ''}-${size}`
    const hashed = (text: string) => `${createHash('md5').update(text).digest('hex')}${extension}`
    const name = hashed(source)
    const generatedFileName = taken.has(name) ? hashed(`${source}-${index}`) : name
    taken.add(generatedFileName)
    return { ...attachment, generatedFileName }
  })
}
