import { PLANS } from '../domain/plans.ts'
import { webhookEventBody } from '../domain/webhook-event.ts'
import type { Mailbox } from '../store/mailboxes.ts'
import type { NewMessage } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import type { NewEvent } from '../store/webhooks.ts'

type Ports = { store: Pick<Store, 'findListeners'>; newId: (now: number) => string }

/** The webhook event of a message with its deliveries; null if no endpoint subscribes to it. */
export async function newEvent(
  { store, newId }: Ports,
  { teamId, name: mailbox }: Mailbox,
  message: NewMessage,
): Promise<NewEvent | null> {
  const { tag, storedAt } = message
  const listeners = await store.findListeners(teamId, { mailbox, tag })
  // The team may have created its endpoints on a larger plan.
  const entitled = listeners.filter(({ plan }) => PLANS[plan].webhooks)
  if (entitled.length === 0) return null
  return {
    id: newId(storedAt),
    body: webhookEventBody({ ...message, mailbox }, storedAt),
    deliveries: entitled.map(({ endpointId }) => ({ id: newId(storedAt), endpointId })),
  }
}
