import { createReadStream } from 'node:fs'
import type { ObjectBody } from '../../bucket/bucket.ts'
import type { MailContent, MailParser } from '../../mime/mail-parser.ts'
import type { MailToStore } from '../receive.ts'
import type { ReceivedMail } from './deliver.ts'

const READ_BYTES = 256 * 1024

/** Converts a mail received over SMTP into the input of `receive`. */
export function spooledMail(parser: Pick<MailParser, 'parse'>, mail: ReceivedMail): MailToStore {
  const { mailFrom, recipients, helo, remoteAddress, tls, username, content } = mail
  return {
    recipients,
    envelope: { mailFrom, helo, remoteAddress, tls, receivedVia: 'smtp', ...(username && { username }) },
    raw: bodyOf(content),
    parse: () => parser.parse(content),
  }
}

function bodyOf(content: MailContent): ObjectBody {
  if (content instanceof Uint8Array) return content
  return { size: content.size, chunks: () => createReadStream(content.path, { highWaterMark: READ_BYTES }) }
}
