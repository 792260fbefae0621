import type { Log } from '../../observe/log.ts'
import type { MailContent } from '../../mime/mail-parser.ts'
import type { Recipient } from '../../domain/address.ts'
import type { IncomingMail } from './incoming-mail.ts'
import { storageRefusal } from './incoming-mail.ts'
import { STORED } from './replies.ts'

export type ReceivedMail = {
  mailFrom: string
  recipients: Recipient[]
  helo: string | null
  remoteAddress: string | null
  tls: boolean
  content: MailContent
}

export type DeliverPorts = {
  /** The mail is durable when this resolves. */
  receive: (mail: ReceivedMail) => Promise<void>
  log: Pick<Log, 'error'>
}

/** Hands over a complete mail and returns the reply for its sender: "Stored" only if it is. */
export async function deliver(
  { receive, log }: DeliverPorts,
  mail: IncomingMail,
  envelope: Omit<ReceivedMail, 'content'>,
): Promise<string> {
  try {
    const finished = mail.finish()
    const content = finished instanceof Promise ? await finished : finished
    await receive({ ...envelope, content })
    return STORED
  } catch (error) {
    log.error({ err: error }, 'storing a mail failed')
    return storageRefusal(error)
  } finally {
    await mail.remove()
  }
}
