import { setImmediate } from 'node:timers/promises'
import type { MessageObjects } from '../bucket/message-objects.ts'
import { ATTEMPTS_KEPT_MS } from '../domain/attempt.ts'
import { AppError } from '../domain/errors.ts'
import type { Log } from '../observe/log.ts'
import type { View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'

/** Rows per transaction. It takes a few milliseconds, during which arriving mail has to wait. */
export const ROWS_PER_REMOVAL = 100

export type RemovalPorts = {
  store: Pick<
    Store,
    'removeMessages' | 'followMessages' | 'newestPosition' | 'hideMailbox' | 'positionsIn' | 'dropMailbox'
  >
  /** Null if this program has no access to the bucket. Another program then deletes the objects. */
  objects: MessageObjects | null
  log: Pick<Log, 'warn'>
  now: () => number
  /** Called with the ids of messages that were deleted. */
  onRemoved?: (teamId: string, ids: string[]) => void
}

/**
 * Rows first, then their objects: a message that is listed can be downloaded. Only the sweep records that the objects
 * are deleted. It deletes them once more a minute later, because the worker may still write the metadata of a mail that
 * it has just announced.
 */
export async function removeMessages(ports: RemovalPorts, teamId: string, positions: number[]): Promise<number> {
  const removed = await ports.store.removeMessages(teamId, positions, ports.now())
  if (removed.length > 0) {
    ports.onRemoved?.(
      teamId,
      removed.map(({ id }) => id),
    )
    // Readers no longer see the messages, and the remaining objects are recorded.
    await ports.objects?.remove(removed).catch((error: unknown) => {
      ports.log.warn({ err: error }, 'deleting raw mail failed, the sweep will retry')
    })
  }
  return removed.length
}

/** Deletes everything that the view currently shows, but not later arrivals. Resolves to the number of messages. */
export async function removeMatching(ports: RemovalPorts, view: View, after: number | null): Promise<number> {
  const upTo = await ports.store.newestPosition(view.teamId)
  let position = after ?? 0
  let count = 0
  for (;;) {
    const page = await ports.store.followMessages(view, { after: position, upTo, limit: ROWS_PER_REMOVAL })
    const positions = page.slice(0, ROWS_PER_REMOVAL).map(({ position }) => position)
    if (positions.length === 0) return count
    count += await removeMessages(ports, view.teamId, positions)
    if (page.length <= ROWS_PER_REMOVAL) return count
    position = positions.at(-1)!
    await setImmediate()
  }
}

/** Hides the mailbox at once and deletes its messages in small steps. A sweep continues after a crash. */
export async function removeMailbox(ports: RemovalPorts, where: { teamId: string; id: string }): Promise<boolean> {
  if (!(await ports.store.hideMailbox(where, ports.now()))) return false
  while (await removeMailboxStep(ports, where)) await setImmediate()
  return true
}

type TeamRemovalPorts = RemovalPorts & {
  store: Pick<
    Store,
    | 'closeTeam'
    | 'listMailboxes'
    | 'removedMailboxes'
    | 'removedEndpoints'
    | 'emptySomeOfEndpoint'
    | 'removeOldSmtpAttempts'
    | 'dropTeam'
  >
}

/**
 * Ends all access at once, then deletes mailboxes, messages and the team in small steps. If it is interrupted, the team
 * still exists without members and keys, and a second call continues.
 */
export async function removeTeam(ports: TeamRemovalPorts, id: string): Promise<{ members: number; keys: number }> {
  const { store, now } = ports
  const closed = await store.closeTeam(id, now())
  for (const mailbox of await store.listMailboxes(id)) await removeMailbox(ports, { teamId: id, id: mailbox.id })
  // Those that an earlier call or a deleted mailbox left.
  for (const hidden of await store.removedMailboxes()) {
    while (hidden.teamId === id && (await removeMailboxStep(ports, hidden))) await setImmediate()
  }
  for (const endpointId of await store.removedEndpoints(id)) {
    const endpoint = { teamId: id, id: endpointId }
    while (await store.emptySomeOfEndpoint(endpoint, ROWS_PER_REMOVAL)) await setImmediate()
  }
  const attempts = { before: now() + ATTEMPTS_KEPT_MS, limit: ROWS_PER_REMOVAL }
  while ((await store.removeOldSmtpAttempts(id, attempts)) > 0) await setImmediate()
  if (await store.dropTeam(id)) return closed
  throw new AppError('server_busy', 'The team received mail while it was deleted. Run the command again.')
}

/** One step. False when the mailbox is empty and deleted. */
export async function removeMailboxStep(
  ports: RemovalPorts,
  { teamId, id }: { teamId: string; id: string },
): Promise<boolean> {
  const positions = await ports.store.positionsIn({ teamId, id }, ROWS_PER_REMOVAL)
  if (positions.length > 0) await removeMessages(ports, teamId, positions)
  else await ports.store.dropMailbox({ teamId, id })
  return positions.length > 0
}
