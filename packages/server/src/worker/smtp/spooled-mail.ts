import { createReadStream } from 'node:fs'
import type { Body } from '../../bucket/bucket.ts'
import type { MailParser } from '../../mime/mail-parser.ts'
import type { IncomingMail } from '../receive.ts'
import type { ReceivedMail } from './deliver.ts'
import type { MailContent } from './spool.ts'

const READ_BYTES = 256 * 1024

/** A mail that came over SMTP, as `receive` takes it. */
export function spooledMail(parser: Pick<MailParser, 'parse'>, mail: ReceivedMail): IncomingMail {
  const { mailFrom, recipients, helo, remoteAddress, tls, content } = mail
  return {
    recipients,
    envelope: { mailFrom, helo, remoteAddress, tls, receivedVia: 'smtp' },
    raw: bodyOf(content),
    parse: () => parser.parse(content),
  }
}

function bodyOf(content: MailContent): Body {
  if (content instanceof Uint8Array) return content
  return { size: content.size, chunks: () => createReadStream(content.path, { highWaterMark: READ_BYTES }) }
}
