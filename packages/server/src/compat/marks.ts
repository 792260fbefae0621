import type { Store } from '../store/store.ts'
import { slicesOf } from './walk.ts'
import type { Listed } from './team-lists.ts'

/** A message in memory, with its mark at a version of the team's marks, once that was read. */
export type Marked = Listed & { mark: { isRead: boolean; version: number } | null }

/** Marks that are read at a time: some milliseconds. */
const MARKS_PER_READ = 1_000

/** Reads the marks that are not known at this version. */
export async function readMarks(
  store: Pick<Store, 'readAmong'>,
  teamId: string,
  messages: Marked[],
  version: number,
): Promise<void> {
  const unknown = messages.filter(({ mark }) => mark?.version !== version)
  for (const some of slicesOf(unknown, MARKS_PER_READ)) {
    const positions = some.map(({ position }) => position)
    const read = new Set(await store.readAmong(teamId, positions))
    for (const message of some) message.mark = { isRead: read.has(message.position), version }
  }
}
