import { onTestFinished } from 'vitest'
import type { Bucket } from '../../src/bucket/bucket.ts'
import { createMailParser } from '../../src/mime/mail-parser.ts'
import { newId } from '../../src/random.ts'
import type { Announcer } from '../../src/worker/announcer.ts'
import { receive } from '../../src/worker/receive.ts'
import { spooledMail } from '../../src/worker/smtp/spooled-mail.ts'
import { startSmtpServer, type SmtpServerPorts } from '../../src/worker/smtp/smtp-server.ts'
import { temporaryFolder } from './server.ts'

/** SMTP on a free port in front of the given bucket. Without an announcer, mail is only stored. */
export async function startReceiver(
  bucket: Pick<Bucket, 'put'>,
  onTaken: (tag: string | null) => void = () => {},
  announcer: Pick<Announcer, 'offer'> | null = null,
) {
  const parser = createMailParser()
  const ports = { bucket, announcer, rootDomain: 'in.test', newId, now: Date.now }
  const smtpPorts: SmtpServerPorts = {
    freeBytes: async () => Number.MAX_SAFE_INTEGER,
    async receive(mail) {
      const ids = await receive(ports, spooledMail(parser, mail))
      for (const { tag } of mail.recipients) onTaken(tag)
      return ids
    },
    onRejection: () => {},
    log: { warn() {}, error() {}, debug() {} },
  }
  const server = await startSmtpServer(smtpPorts, {
    host: '127.0.0.1',
    port: 0,
    hostname: 'mx.test',
    sizeMaxBytes: 25 * 1024 * 1024,
    spoolFolder: temporaryFolder(),
    tls: null,
    credentials: null,
    allowedDomains: null,
  })
  onTestFinished(async () => {
    await server.close()
    await parser.close()
  })
  return server
}
