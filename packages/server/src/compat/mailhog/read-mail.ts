import { bytesOf } from '../../bucket/bucket.ts'
import { AppError } from '../../domain/errors.ts'
import type { Contents } from '../../read/content.ts'
import type { StoredMessage } from '../../store/messages.ts'

type Ports = { contents: Pick<Contents, 'raw'> }

/** The mail, with one character for each byte, and like in MailHog without its last line end. */
export async function readMail({ contents }: Ports, message: StoredMessage): Promise<string> {
  const mail = await readRaw(contents, message)
  return mail.endsWith('\r\n') ? mail.slice(0, -2) : mail
}

async function readRaw(contents: Ports['contents'], message: StoredMessage): Promise<string> {
  try {
    const { buffer, byteOffset, byteLength } = await bytesOf(await contents.raw(message))
    return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'raw_unavailable')) throw error
    return composeMail(message)
  }
}

/** What is known of a message whose raw mail is gone, as a mail with one part. */
function composeMail({ headers, text, html }: StoredMessage): string {
  const isReplaced = (name: string) => /^content-/i.test(name)
  const lines = headers.filter(({ name }) => !isReplaced(name)).map(({ name, value }) => `${name}: ${value}`)
  lines.push(`Content-Type: text/${text === null && html !== null ? 'html' : 'plain'}; charset=utf-8`)
  const body = (text ?? html ?? '').replaceAll(/\r?\n/g, '\r\n')
  return Buffer.from([...lines, '', body].join('\r\n')).toString('latin1')
}
