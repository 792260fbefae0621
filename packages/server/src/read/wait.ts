import { AppError } from '../domain/errors.ts'
import type { MessageFilter } from '../domain/match.ts'
import type { View } from '../store/store.ts'
import type { Followers } from './followers.ts'

/** Held waits of one key at once; each costs a connection and a few kilobytes. */
const WAITS_PER_KEY_MAX = 20_000

export type WaitOptions = {
  keyId: string
  waitMs: number
  /** Calls back when nobody is there any more to hear the answer. */
  onGone: (end: () => void) => void
}

export type HeldWait = { filter: MessageFilter; startedAt: number; waitMs: number }

export type Waits = {
  /** Asks until `look` finds something or the time is up; null when it is. Mail that came before is found at once. */
  until<Found>(view: View, options: WaitOptions, look: () => Promise<Found | null>): Promise<Found | null>
  /** Those that this process holds for the team at this moment, the oldest first. */
  heldFor(teamId: string): HeldWait[]
  count(): number
  /** Ends every held wait with a 503, so that the client asks another replica, or this one after its restart. */
  close(): void
}

export function createWaits(followers: Followers, now: () => number = Date.now): Waits {
  const heldByKey = new Map<string, number>()
  const all = new Set<{ view: View; startedAt: number; waitMs: number; end: () => void }>()
  let isClosing = false

  async function hold<Found>(
    view: View,
    { waitMs, onGone }: WaitOptions,
    look: () => Promise<Found | null>,
  ): Promise<Found | null> {
    let wake = () => {}
    let unfollow = () => {}
    const timeUp = Promise.withResolvers<'over'>()
    const end = () => timeUp.resolve('over')
    const timer = setTimeout(end, waitMs)
    const held = { view, startedAt: now(), waitMs, end }
    all.add(held)
    // Before anything is waited for: who leaves meanwhile is not heard of again.
    onGone(end)
    try {
      // Followed before the first look, so that a message stored between the two still wakes us.
      unfollow = await followers.follow(view.teamId, view.filter, () => wake())
      for (;;) {
        const woken = new Promise<'woken'>((resolve) => {
          wake = () => resolve('woken')
        })
        const found = await look()
        if (found !== null) return found
        if ((await Promise.race([woken, timeUp.promise])) === 'over') break
      }
      if (isClosing) throw shuttingDown()
      return null
    } finally {
      unfollow()
      clearTimeout(timer)
      all.delete(held)
    }
  }

  return {
    async until(view, options, look) {
      if (options.waitMs === 0) return look()
      if (isClosing) throw shuttingDown()
      const held = heldByKey.get(options.keyId) ?? 0
      if (held >= WAITS_PER_KEY_MAX) {
        throw new AppError('too_many_waits', `This key already holds ${WAITS_PER_KEY_MAX} waits.`, {
          headers: { 'retry-after': '1' },
        })
      }
      heldByKey.set(options.keyId, held + 1)
      try {
        return await hold(view, options, look)
      } finally {
        const left = heldByKey.get(options.keyId)! - 1
        if (left > 0) heldByKey.set(options.keyId, left)
        else heldByKey.delete(options.keyId)
      }
    },
    heldFor(teamId) {
      const ofTeam = Array.from(all).filter(({ view }) => view.teamId === teamId)
      return ofTeam.map(({ view: { filter }, startedAt, waitMs }) => ({ filter, startedAt, waitMs }))
    },
    count: () => all.size,
    close() {
      isClosing = true
      for (const { end } of all) end()
    },
  }
}

export function shuttingDown(): AppError {
  return new AppError('shutting_down', 'The server is restarting. Please ask again.', {
    headers: { 'retry-after': '1' },
  })
}
