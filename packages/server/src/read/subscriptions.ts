import { createWakeUp, type WakeUp } from '../feed/wake-up.ts'
import { createHeldCounts } from '../domain/held-counts.ts'
import { AppError } from '../domain/errors.ts'
import { oldestVisible } from '../domain/plans.ts'
import type { SearchWords } from '../domain/search-words.ts'
import type { Team } from '../store/mailboxes.ts'
import type { StoredSummary } from '../store/messages.ts'
import type { MarkState } from '../store/read-marks.ts'
import type { Store } from '../store/store.ts'
import type { Followers } from './followers.ts'
import { readMarkChanges, type MarkChanges } from './mark-changes.ts'
import { startPosition, type Start } from './start-position.ts'
import { shuttingDown } from './wait.ts'

const MESSAGES_PER_READ = 100
/** A user who loses the permission to read stops receiving messages within this time. */
const POLL_MS = 1_000

export const SUBSCRIPTION_LIMITS = {
  /** A user has a few tabs open. More are probably connections that are never closed. */
  perUser: 50,
  /** Each queries the store on its own. */
  perProcess: 2_000,
}

export type Subscription = Start & {
  words?: SearchWords
  userId: string
  /** The current team of the user; null when they may no longer read. */
  team: () => Promise<Team | null>
  signal: AbortSignal | undefined
  /** Changes of read marks after this state are sent as well. Null for none. */
  marks: MarkState | null
}

export type Followed = { message: StoredSummary; isRead: boolean } | { marks: MarkChanges }

export type Subscriptions = {
  /** Messages that become visible after a position, in order and once each. Ends when the user may no longer read. */
  follow(subscription: Subscription): AsyncGenerator<Followed>
  /** Throws if another one of this user would be refused. */
  requireRoom(userId: string): void
  /** Sends what has changed of a team's marks now, instead of within a second. */
  marked(teamId: string): void
  count(): number
  /** Ends all subscriptions and accepts no new ones. */
  close(): void
}

type Ports = {
  store: Pick<Store, 'newestPosition' | 'firstPosition' | 'followMessages' | 'readAmong' | 'markState' | 'changedMarks'>
  followers: Pick<Followers, 'follow'>
  now: () => number
}

/** For the dashboard: each subscription reads at its own pace, and nothing is buffered for slow ones. */
export function createSubscriptions({ store, followers, now }: Ports, limits = SUBSCRIPTION_LIMITS): Subscriptions {
  const held = createHeldCounts()
  const reading = new Set<{ teamId: string; wake: () => void }>()
  const closing = new AbortController()

  function requireRoom(userId: string): void {
    if (closing.signal.aborted) throw shuttingDown()
    const own = held.of(userId)
    if (own >= limits.perUser) throw new AppError('too_many_streams', `You already have ${own} streams open.`)
    if (held.total() >= limits.perProcess)
      throw new AppError('server_busy', 'The server has as many streams open as it can.')
  }

  async function* read(
    { filter, words, after, team, signal, ...rest }: Subscription,
    wakeUp: WakeUp,
  ): AsyncGenerator<Followed> {
    const first = await team()
    if (!first) return
    let { marks } = rest
    // Follow before reading, so that a message that becomes visible in between is not missed.
    const unfollow = await followers.follow(first.id, filter, wakeUp.wake)
    const reader = { teamId: first.id, wake: wakeUp.wake }
    reading.add(reader)
    try {
      let position = await startPosition({ store, now }, first, { filter, after })
      while (!signal?.aborted && !closing.signal.aborted) {
        const current = await team()
        if (current?.id !== first.id) return
        const changes = marks && (await readMarkChanges(store, current.id, marks))
        if (changes) {
          marks = changes.state
          yield { marks: changes }
        }
        const upTo = await store.newestPosition(current.id)
        if (upTo === position) {
          await wakeUp.wait(POLL_MS)
          continue
        }
        const oldestReceivedAt = oldestVisible(current, now())
        const view = { teamId: current.id, oldestReceivedAt, filter, ...(words && { words }) }
        const found = await store.followMessages(view, { after: position, upTo, limit: MESSAGES_PER_READ })
        const page = found.slice(0, MESSAGES_PER_READ)
        const positions = page.map((message) => message.position)
        const isRead = new Set(positions.length > 0 ? await store.readAmong(current.id, positions) : [])
        for (const message of page) yield { message, isRead: isRead.has(message.position) }
        position = found.length > MESSAGES_PER_READ ? page.at(-1)!.position : upTo
        if (found.length <= MESSAGES_PER_READ) await wakeUp.wait(POLL_MS)
      }
    } finally {
      reading.delete(reader)
      unfollow()
    }
  }

  return {
    async *follow(subscription) {
      const { userId, signal } = subscription
      requireRoom(userId)
      held.add(userId)
      const wakeUp = createWakeUp()
      signal?.addEventListener('abort', wakeUp.wake)
      closing.signal.addEventListener('abort', wakeUp.wake)
      try {
        yield* read(subscription, wakeUp)
      } finally {
        signal?.removeEventListener('abort', wakeUp.wake)
        closing.signal.removeEventListener('abort', wakeUp.wake)
        held.remove(userId)
      }
    },
    requireRoom,
    marked(teamId) {
      for (const reader of reading) if (reader.teamId === teamId) reader.wake()
    },
    count: held.total,
    close: () => closing.abort(),
  }
}
