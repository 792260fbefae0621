import type { Recipient } from '../../domain/address.ts'
import type { IncomingMail } from './incoming-mail.ts'
import { storageRefusal } from './incoming-mail.ts'
import { STORED } from './replies.ts'
import type { MailContent } from './spool.ts'

export type ReceivedMail = {
  mailFrom: string
  recipients: Recipient[]
  helo: string | null
  remoteAddress: string | null
  tls: boolean
  content: MailContent
}

export type DeliverPorts = {
  /** The mail is durable when it resolves. */
  receive: (mail: ReceivedMail) => Promise<void>
  log: { error(details: object, message: string): void }
}

/** Passes a complete mail on, and returns the reply for its sender: "stored" only when it is. */
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
    log.error({ err: error }, 'could not store a mail')
    return storageRefusal(error)
  } finally {
    await mail.remove()
  }
}
