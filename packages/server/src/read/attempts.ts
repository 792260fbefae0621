import {
  ATTEMPTS_KEPT_MS,
  ATTEMPTS_PER_GROUP_MAX,
  idInGroup,
  indexInGroup,
  type AttemptReport,
} from '../domain/attempt.ts'
import { AppError } from '../domain/errors.ts'
import { requireKnownPosition } from './known-cursor.ts'
import type { View } from '../store/messages.ts'
import type { AttemptView } from '../store/attempts.ts'
import type { Store } from '../store/store.ts'

/** Clocks of the API and of workers may differ by this. */
const CLOCKS_DIFFER_MS = 60_000

type Ports = {
  store: Pick<Store, 'listSmtpAttempts' | 'timeAt' | 'newestPosition'>
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
  await requireKnownPosition(store, teamId, after)
  await ledger.flush()
  const address = mailbox ? { mailbox: mailbox.name, tag: mailbox.tag, domain: mailbox.domain } : null
  const afterAt = after === null ? 0 : (await store.timeAt(teamId, after)) - CLOCKS_DIFFER_MS
  const since = Math.max(now() - ATTEMPTS_KEPT_MS, afterAt)
  const everything = { teamId, since: now() - ATTEMPTS_KEPT_MS, address: null, mailboxId: mailboxId ?? null }
  if (before !== null) await requireAttempt(store, everything, before)
  const view = { ...everything, since, address }
  const found = await store.listSmtpAttempts(view, { before, limit })
  return { attempts: found.slice(0, limit), hasMore: found.length > limit }
}

/** Throws if the ledger has no attempt with this id that the caller may see. */
async function requireAttempt(store: Ports['store'], view: AttemptView, id: string): Promise<void> {
  const index = indexInGroup(id)
  // The one before its successor is the attempt itself.
  const found =
    index < ATTEMPTS_PER_GROUP_MAX
      ? await store.listSmtpAttempts(view, { before: idInGroup(id, index + 1), limit: 0 })
      : []
  if (found[0]?.id !== id) {
    throw new AppError('cursor_not_found', 'The attempt in `after_id` was not found. It may have been deleted.')
  }
}
