import { ATTEMPTS_KEPT_MS, type AttemptReport } from '../domain/attempt.ts'
import type { View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'

/** Clocks of the API and of workers may differ by this. */
const CLOCKS_DIFFER_MS = 60_000

type Ports = {
  store: Pick<Store, 'listSmtpAttempts' | 'timeAt'>
  ledger: { flush: () => Promise<void> }
  now: () => number
}

/** `after`: a position of messages. Older attempts are left out. */
export type AttemptPage = { limit: number; before: string | null; after: number | null }

/** A page of the attempts of the last day, newest first. */
export async function listAttempts(
  { store, ledger, now }: Ports,
  { teamId, filter: { mailbox, mailboxId } }: Pick<View, 'teamId' | 'filter'>,
  { limit, before, after }: AttemptPage,
): Promise<{ attempts: AttemptReport[]; hasMore: boolean }> {
  await ledger.flush()
  const address = mailbox ? { mailbox: mailbox.name, tag: mailbox.tag, domain: mailbox.domain } : null
  const afterAt = after === null ? 0 : (await store.timeAt(teamId, after)) - CLOCKS_DIFFER_MS
  const since = Math.max(now() - ATTEMPTS_KEPT_MS, afterAt)
  const view = { teamId, since, address, mailboxId: mailboxId ?? null }
  const found = await store.listSmtpAttempts(view, { before, limit })
  return { attempts: found.slice(0, limit), hasMore: found.length > limit }
}
