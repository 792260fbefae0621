import { setImmediate } from 'node:timers/promises'
import type { MessageObjects } from '../bucket/message-objects.ts'
import type { Log } from '../log.ts'
import type { Store, View } from '../store/store.ts'

/** Rows in one transaction: a few milliseconds, in which mail that arrives has to wait. */
export const ROWS_PER_REMOVAL = 100

export type RemovalPorts = {
  store: Pick<
    Store,
    'removeMessages' | 'followMessages' | 'newestPosition' | 'hideMailbox' | 'positionsIn' | 'dropMailbox'
  >
  /** Null when this program does not reach the bucket: the objects are left to one that does. */
  objects: MessageObjects | null
  log: Pick<Log, 'warn'>
  now: () => number
}

/**
 * Rows first, then their objects: what is still listed can still be downloaded. That the objects are gone is recorded
 * only by the sweep, which removes them once more a minute later: the worker may be about to write metadata of a mail
 * that it has announced a moment ago.
 */
export async function removeMessages(ports: RemovalPorts, teamId: string, positions: number[]): Promise<number> {
  const removed = await ports.store.removeMessages(teamId, positions, ports.now())
  if (removed.length > 0) {
    // For readers the messages are gone already; what is left of them is known.
    await ports.objects?.remove(removed).catch((error: unknown) => {
      ports.log.warn({ err: error }, 'raw mail could not be removed with its messages; the sweep will try again')
    })
  }
  return removed.length
}

/** Everything that the view shows now; what arrives meanwhile stays. Resolves to how many there were. */
export async function removeMatching(ports: RemovalPorts, view: View, after: number | null): Promise<number> {
  const upTo = await ports.store.newestPosition(view.teamId)
  let place = after ?? 0
  let count = 0
  for (;;) {
    const page = await ports.store.followMessages(view, { after: place, upTo, limit: ROWS_PER_REMOVAL })
    const positions = page.slice(0, ROWS_PER_REMOVAL).map(({ position }) => position)
    if (positions.length === 0) return count
    count += await removeMessages(ports, view.teamId, positions)
    if (page.length <= ROWS_PER_REMOVAL) return count
    place = positions.at(-1)!
    await setImmediate()
  }
}

/** Hidden at once; its messages follow in small steps, and a sweep goes on where a crash interrupts. */
export async function removeMailbox(ports: RemovalPorts, where: { teamId: string; id: string }): Promise<boolean> {
  if (!(await ports.store.hideMailbox(where, ports.now()))) return false
  while (await emptySomeOf(ports, where)) await setImmediate()
  return true
}

/** One step; false when the mailbox is empty, and gone. */
export async function emptySomeOf(
  ports: RemovalPorts,
  { teamId, id }: { teamId: string; id: string },
): Promise<boolean> {
  const positions = await ports.store.positionsIn(id, ROWS_PER_REMOVAL)
  if (positions.length > 0) await removeMessages(ports, teamId, positions)
  else await ports.store.dropMailbox(id)
  return positions.length > 0
}
