import { isAnyWord } from '../domain/search-words.ts'
import type { View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'

/** More than a user reads. Beyond this, the count is a lower bound. */
const COUNTED_MAX = 2_000
const MESSAGES_PER_READ = 200

type Ports = Pick<Store, 'countMessages' | 'followMessages' | 'newestPosition'>

/** How many messages match, up to a position if one is given. `isExact` is false if there are more than were counted. */
export async function countMatching(
  store: Ports,
  view: View,
  after: number | null,
  upTo?: number,
): Promise<{ count: number; isExact: boolean }> {
  const isFiltered =
    after !== null ||
    upTo !== undefined ||
    isAnyWord(view.words) ||
    Object.values(view.filter).some((value) => value !== undefined)
  if (!isFiltered) return { count: await store.countMessages(view), isExact: true }
  const last = upTo ?? (await store.newestPosition(view.teamId))
  let position = after ?? 0
  for (let count = 0; ;) {
    const page = await store.followMessages(view, { after: position, upTo: last, limit: MESSAGES_PER_READ })
    count += Math.min(page.length, MESSAGES_PER_READ)
    if (page.length <= MESSAGES_PER_READ) return { count, isExact: true }
    if (count >= COUNTED_MAX) return { count, isExact: false }
    position = page[MESSAGES_PER_READ - 1]!.position
  }
}
