import type { Mailbox } from '../../packages/server/src/store/mailboxes.ts'
import type { Store } from '../../packages/server/src/store/store.ts'
import { messageAt } from '../search/mail.ts'

/** Parallel clients, as in bench/search. */
const CONCURRENT = 64

/** Adds messages to one team until the returned function is called, which resolves to the rate per second. */
export function startLoad(store: Store, mailboxes: Mailbox[], now: number): () => Promise<number> {
  const byName = new Map(mailboxes.map((mailbox) => [mailbox.name, mailbox]))
  const startedAt = performance.now()
  let created = 0
  let stored = 0
  let isStopping = false
  const clients = Array.from({ length: CONCURRENT }, async () => {
    while (!isStopping) {
      const message = messageAt(created++, 1_000_000, mailboxes, now)
      await store.addMessage(byName.get(message.objectMailbox)!, message)
      stored++
    }
  })
  return async () => {
    const seconds = (performance.now() - startedAt) / 1000
    const rate = stored / seconds
    isStopping = true
    await Promise.all(clients)
    return rate
  }
}
