import { setImmediate } from 'node:timers/promises'
import { ObjectsUnreachable, type MessageObjects } from '../bucket/message-objects.ts'
import type { ObjectName, Store, View } from '../store/store.ts'

/** Rows in one transaction: a few milliseconds, in which mail that arrives has to wait. */
export const ROWS_PER_REMOVAL = 100

export type RemovalPorts = {
  store: Pick<
    Store,
    | 'removeMessages'
    | 'recordObjectsGone'
    | 'followMessages'
    | 'newestPosition'
    | 'hideMailbox'
    | 'positionsIn'
    | 'dropMailbox'
  >
  /** Null when this program does not reach the bucket: the objects are left to one that does. */
  objects: MessageObjects | null
  now: () => number
}

/** Rows first, then their objects: what is still listed can still be downloaded. */
export async function removeMessages(ports: RemovalPorts, teamId: string, positions: number[]): Promise<number> {
  const removed = await ports.store.removeMessages(teamId, positions, ports.now())
  await removeObjects(ports, removed).catch(leaveToSweep)
  return removed.length
}

/** For readers the messages are gone already, and which objects are left is written with the removal of their rows. */
function leaveToSweep(error: unknown): void {
  if (!(error instanceof ObjectsUnreachable)) throw error
}

export async function removeObjects(
  { store, objects }: Pick<RemovalPorts, 'objects'> & { store: Pick<Store, 'recordObjectsGone'> },
  names: ObjectName[],
): Promise<void> {
  if (!objects || names.length === 0) return
  await objects.remove(names)
  await store.recordObjectsGone(names.map(({ id }) => id))
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
  await emptyMailbox(ports, where)
  return true
}

export async function emptyMailbox(ports: RemovalPorts, { teamId, id }: { teamId: string; id: string }): Promise<void> {
  for (;;) {
    const positions = await ports.store.positionsIn(id, ROWS_PER_REMOVAL)
    if (positions.length === 0) break
    await removeMessages(ports, teamId, positions)
    await setImmediate()
  }
  await ports.store.dropMailbox(id)
}
