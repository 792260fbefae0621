import type { ForwardableEmailMessage } from '@cloudflare/workers-types'
import { parseRecipient } from '../domain/address.ts'
import { routedRefusal } from '../domain/routed-steps.ts'
import { parseStart, readStart } from '../mime/mail-prefix.ts'
import { receive, type ReceivePorts } from './receive.ts'
import type { Scripts } from './scripts.ts'

/** The limit of Cloudflare Email Routing itself, and the default of our SMTP listener. */
const MAIL_BYTES_MAX = 25 * 1024 * 1024

export type RoutedMail = Pick<ForwardableEmailMessage, 'from' | 'to' | 'rawSize' | 'setReject'> & {
  raw: ReadableStream<Uint8Array>
}

export type RoutedMailPorts = ReceivePorts & {
  /** Null if no address has a script. */
  askScripts: (() => Promise<Scripts>) | null
}

/**
 * Stores one mail from Cloudflare Email Routing. A thrown error is a temporary failure, and the sending server retries.
 * `setReject` is permanent, so it is used only for mail that can never be accepted.
 */
export async function takeRoutedMail(ports: RoutedMailPorts, mail: RoutedMail): Promise<void> {
  const recipient = parseRecipient(mail.to)
  if (!recipient) return mail.setReject('5.1.3 Not a valid recipient address')
  if (mail.rawSize > MAIL_BYTES_MAX) return mail.setReject(`5.3.4 Mail is larger than ${MAIL_BYTES_MAX} bytes`)
  const plan = await (await ports.askScripts?.())?.planFor(recipient)
  const refusal = plan ? routedRefusal(plan.action) : null
  if (refusal !== null) return mail.setReject(refusal)
  const start = await readStart(mail.raw)
  if (start.isWhole && start.bytes.byteLength < mail.rawSize)
    throw new Error('The mail is shorter than its declared size')
  await receive(ports, {
    recipients: [recipient],
    // Cloudflare reports neither the sending server nor TLS. `tls` is true only for what we know was encrypted.
    envelope: { mailFrom: mail.from, helo: null, remoteAddress: null, tls: false, receivedVia: 'cloudflare' },
    raw: start.isWhole ? start.bytes : { size: mail.rawSize, chunks: start.chunks },
    parse: async () => parseStart(start),
  })
}
