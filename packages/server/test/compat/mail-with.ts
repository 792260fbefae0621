import type { WholeMail } from '../../src/compat/mails.ts'
import type { NewMessage } from '../../src/store/messages.ts'
import { messageFor } from '../../src/store/store-contract.ts'

const MAILBOX = { id: 'm', teamId: 't', name: 'qa', domain: 'mailhatch.test', createdAt: 0, updatedAt: 0 }

/** A mail for one recipient. */
export function mailWith(values: Partial<NewMessage>): WholeMail {
  const message = messageFor(MAILBOX, values)
  return {
    ...message,
    position: 1,
    mailboxId: MAILBOX.id,
    mailbox: MAILBOX.name,
    attachmentCount: 0,
    recipients: [message.to],
    positions: [1],
  }
}
