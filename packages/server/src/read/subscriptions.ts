import { AppError } from '../domain/errors.ts'
import { oldestVisible } from '../domain/plans.ts'
import type { Store, StoredSummary, Team } from '../store/store.ts'
import type { Followers } from './followers.ts'
import { startPosition, type Start } from './start-position.ts'
import { shuttingDown } from './wait.ts'

const MESSAGES_PER_READ = 100
/** Whoever loses the right to read goes on reading no longer than this. */
const LOOK_EVERY_MS = 1_000

export const SUBSCRIPTION_LIMITS = {
  /** A person has some tabs open; more are rather connections that nobody closes. */
  perUser: 50,
  /** Each reads from the store for itself. */
  perProcess: 2_000,
}

export type Subscription = Start & {
  userId: string
  /** The reader's team as it is now; null when they may not read any more. */
  team: () => Promise<Team | null>
  signal: AbortSignal | undefined
}

export type Subscriptions = {
  /** What becomes visible after a position, in order and each once; ends when the reader may not read any more. */
  follow(subscription: Subscription): AsyncGenerator<StoredSummary>
  count(): number
  /** Ends them all, and takes no new ones. */
  close(): void
}

type Ports = {
  store: Pick<Store, 'newestPosition' | 'firstPosition' | 'followMessages'>
  followers: Pick<Followers, 'follow'>
  now: () => number
}

/** For people who look at a page: each reads at its own pace, and nothing is kept for one that does not. */
export function createSubscriptions({ store, followers, now }: Ports, limits = SUBSCRIPTION_LIMITS): Subscriptions {
  const open = new Map<string, number>()
  const closing = new AbortController()
  let count = 0

  function admit(userId: string): void {
    if (closing.signal.aborted) throw shuttingDown()
    const held = open.get(userId) ?? 0
    if (held >= limits.perUser) throw new AppError('too_many_streams', `You already have ${held} streams open.`)
    if (count >= limits.perProcess) throw new AppError('server_busy', 'The server has as many streams open as it can.')
    open.set(userId, held + 1)
    count++
  }

  function leave(userId: string): void {
    const held = open.get(userId)! - 1
    if (held === 0) open.delete(userId)
    else open.set(userId, held)
    count--
  }

  async function* read({ filter, after, team, signal }: Subscription, bell: Bell): AsyncGenerator<StoredSummary> {
    const first = await team()
    if (!first) return
    // Followed before anything is read, so that what becomes visible in between is not missed.
    const unfollow = await followers.follow(first.id, filter, bell.ring)
    try {
      let position = await startPosition({ store, now }, first, { filter, after })
      while (!signal?.aborted && !closing.signal.aborted) {
        const current = await team()
        if (current?.id !== first.id) return
        const upTo = await store.newestPosition(current.id)
        if (upTo === position) {
          await bell.rung()
          continue
        }
        const view = { teamId: current.id, oldestReceivedAt: oldestVisible(current, now()), filter }
        const found = await store.followMessages(view, { after: position, upTo, limit: MESSAGES_PER_READ })
        const page = found.slice(0, MESSAGES_PER_READ)
        yield* page
        position = found.length > MESSAGES_PER_READ ? page.at(-1)!.position : upTo
        if (found.length <= MESSAGES_PER_READ) await bell.rung()
      }
    } finally {
      unfollow()
    }
  }

  return {
    async *follow(subscription) {
      const { userId, signal } = subscription
      admit(userId)
      const bell = createBell(LOOK_EVERY_MS)
      signal?.addEventListener('abort', bell.ring)
      closing.signal.addEventListener('abort', bell.ring)
      try {
        yield* read(subscription, bell)
      } finally {
        signal?.removeEventListener('abort', bell.ring)
        closing.signal.removeEventListener('abort', bell.ring)
        leave(userId)
      }
    },
    count: () => count,
    close: () => closing.abort(),
  }
}

type Bell = { ring: () => void; rung: () => Promise<void> }

/** Rung while nobody waits, it is heard at once; left alone, it rings by itself after a while. */
function createBell(everyMs: number): Bell {
  let isRung = false
  let hear: (() => void) | null = null
  return {
    ring() {
      isRung = true
      hear?.()
    },
    async rung() {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, everyMs)
          hear = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      hear = null
      isRung = false
    },
  }
}
