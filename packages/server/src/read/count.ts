import type { Store, View } from '../store/store.ts'

/** More than people read: beyond, that there are more is all that is said. */
const COUNTED_MAX = 2_000
const MESSAGES_PER_READ = 200

type Ports = Pick<Store, 'countMessages' | 'followMessages' | 'newestPosition'>

/** How many match; `isExact` is false when there are more than were counted. */
export async function countMatching(
  store: Ports,
  view: View,
  after: number | null,
): Promise<{ count: number; isExact: boolean }> {
  const isFiltered = after !== null || Object.values(view.filter).some((value) => value !== undefined)
  if (!isFiltered) return { count: await store.countMessages(view), isExact: true }
  const upTo = await store.newestPosition(view.teamId)
  let place = after ?? 0
  for (let count = 0; ;) {
    const page = await store.followMessages(view, { after: place, upTo, limit: MESSAGES_PER_READ })
    count += Math.min(page.length, MESSAGES_PER_READ)
    if (page.length <= MESSAGES_PER_READ) return { count, isExact: true }
    if (count >= COUNTED_MAX) return { count, isExact: false }
    place = page[MESSAGES_PER_READ - 1]!.position
  }
}
