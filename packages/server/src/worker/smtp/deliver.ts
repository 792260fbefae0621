import type { Log } from '../../observe/log.ts'
import type { MailContent } from '../../mime/mail-parser.ts'
import type { Recipient } from '../../domain/address.ts'
import type { MailPlan } from '../scripts.ts'
import type { ReplyDelay } from './holds.ts'
import type { IncomingMail } from './incoming-mail.ts'
import { storageRefusal } from './incoming-mail.ts'
import { STORED } from './replies.ts'

export type ReceivedMail = {
  mailFrom: string
  recipients: Recipient[]
  helo: string | null
  remoteAddress: string | null
  tls: boolean
  username: string | null
  content: MailContent
}

export type DeliverPorts = {
  /** The mail is durable when this resolves with the ids of its messages, one per recipient. */
  receive: (mail: ReceivedMail) => Promise<string[]>
  log: Pick<Log, 'error'>
}

type MailDelivery = { envelope: Omit<ReceivedMail, 'content'>; onStored: (messageIds: string[]) => void }

/** Hands over a complete mail and returns the reply for its sender: "Stored" only if it is. */
export async function deliver(
  { receive, log }: DeliverPorts,
  mail: IncomingMail,
  { envelope, onStored }: MailDelivery,
): Promise<string> {
  try {
    const finished = mail.finish()
    const content = finished instanceof Promise ? await finished : finished
    onStored(await receive({ ...envelope, content }))
    return STORED
  } catch (error) {
    log.error({ err: error }, 'storing a mail failed')
    return storageRefusal(error)
  } finally {
    await mail.remove()
  }
}

/** The same, changed as the script of a recipient says. Null if the connection is to be cut without a reply. */
export async function deliverAsPlanned(
  ports: DeliverPorts,
  mail: IncomingMail,
  { plan, delay, ...delivery }: MailDelivery & { plan: MailPlan; delay: ReplyDelay },
): Promise<string | null> {
  const { action, teamId } = plan
  const isRefused = action.do === 'reject' || (action.do === 'cut' && !action.isStored)
  const reply = isRefused ? await mail.remove().then(() => null) : await deliver(ports, mail, delivery)
  if (action.do === 'reject') return action.reply
  // Stored before the delay: a sender that gives up and sends the mail again has sent it twice.
  if (action.do === 'delay') await delay.wait({ teamId, milliseconds: action.ms })
  return action.do === 'cut' ? null : reply
}
