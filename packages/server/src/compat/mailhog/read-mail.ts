import { bytesOf } from '../../bucket/bucket.ts'
import { AppError } from '../../domain/errors.ts'
import { HEADER_BLOCK_BYTES_MAX } from '../../mime/limits.ts'
import type { Contents } from '../../read/content.ts'
import type { StoredMessage } from '../../store/messages.ts'
import { beginningOf } from '../content.ts'

type Ports = { contents: Pick<Contents, 'raw'> }

/** The mail, with one character for each byte, and like in MailHog without its last line end. */
export async function readMail({ contents }: Ports, message: StoredMessage): Promise<string> {
  const mail = await readRaw(contents, message)
  return mail.endsWith('\r\n') ? mail.slice(0, -2) : mail
}

/** What may be the headers of a mail, and the size of all of it. */
export async function readBeginning(
  { contents }: Ports,
  message: StoredMessage,
): Promise<{ beginning: string; size: number }> {
  try {
    const object = await contents.raw(message)
    // A bucket may give all of it at once.
    const beginning = (await beginningOf(object)).subarray(0, HEADER_BLOCK_BYTES_MAX)
    return { beginning: asText(beginning), size: object.size }
  } catch (error) {
    const mail = composeIfGone(error, message)
    return { beginning: mail, size: mail.length }
  }
}

async function readRaw(contents: Ports['contents'], message: StoredMessage): Promise<string> {
  try {
    return asText(await bytesOf(await contents.raw(message)))
  } catch (error) {
    return composeIfGone(error, message)
  }
}

function asText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}

function composeIfGone(error: unknown, message: StoredMessage): string {
  if (error instanceof AppError && error.code === 'raw_unavailable') return composeMail(message)
  throw error
}

/** What is known of a message whose raw mail is gone, as a mail with one part. */
function composeMail({ headers, text, html }: StoredMessage): string {
  const isReplaced = (name: string) => /^content-/i.test(name)
  const lines = headers.filter(({ name }) => !isReplaced(name)).map(({ name, value }) => `${name}: ${value}`)
  lines.push(`Content-Type: text/${text === null && html !== null ? 'html' : 'plain'}; charset=utf-8`)
  const body = (text ?? html ?? '').replaceAll(/\r?\n/g, '\r\n')
  return Buffer.from([...lines, '', body].join('\r\n')).toString('latin1')
}
