import { createHeldCounts } from '../domain/held-counts.ts'
import { AppError, RETRY_SOON } from '../domain/errors.ts'
import type { MessageFilter } from '../domain/match.ts'
import type { StoredMessage, View } from '../store/messages.ts'
import type { Followers } from './followers.ts'

/** Waits that one key may hold at once. Each costs a connection and a few kilobytes. */
export const WAITS_PER_KEY_MAX = 20_000

export type WaitOptions = {
  keyId: string
  waitMs: number
  /** The position after which `look` searches. While no later message can match, it is not called. */
  after?: number | null
  /** Registers a callback for when the client disconnects. */
  onGone: (end: () => void) => void
  /** When to look again without a new message: after a time, or when the promise is fulfilled. By default never. */
  lookAgain?: () => { afterMs: number; sooner: Promise<null> }
}

export type HeldWait = { filter: MessageFilter; startedAt: number; waitMs: number }

/** Looks for the awaited mail. `arrived` is the match that ended the wait, if it is at hand: then nothing need be read. */
export type Look<Found> = (arrived: StoredMessage | null) => Promise<Found | null>

export type Waits = {
  /**
   * Calls `look` until it finds something or the time is up, then returns null. Existing mail is found immediately, or, if another
   * process stored it and its wake-up was lost, within a second. Throws what `proceed` of the view throws if the client has gone.
   */
  until<Found>(view: View, options: WaitOptions, look: Look<Found>): Promise<Found | null>
  /** Waits that this process currently holds for the team, oldest first. */
  heldFor(teamId: string): HeldWait[]
  count(): number
  /** Ends every held wait with a 503, so that the client asks another replica, or this one after its restart. */
  close(): void
}

export function createWaits(followers: Followers, now: () => number = Date.now): Waits {
  const heldByKey = createHeldCounts()
  const all = new Set<{ view: View; startedAt: number; waitMs: number; end: () => void }>()
  let isClosing = false

  async function hold<Found>(
    view: View,
    { keyId, waitMs, after = null, onGone, lookAgain }: WaitOptions,
    look: Look<Found>,
  ): Promise<Found | null> {
    if (isClosing) throw shuttingDown()
    if (heldByKey.of(keyId) >= WAITS_PER_KEY_MAX) {
      throw new AppError('too_many_waits', `This key already holds ${WAITS_PER_KEY_MAX} waits.`, RETRY_SOON)
    }
    let wake: (arrived: StoredMessage | null) => void = () => {}
    let unfollow = () => {}
    let isOver = false
    const end = () => {
      isOver = true
      wake(null)
    }
    const timer = setTimeout(end, waitMs)
    const held = { view, startedAt: now(), waitMs, end }
    all.add(held)
    heldByKey.add(keyId)
    // Registered before anything is awaited: a disconnect in between would go unnoticed.
    onGone(end)
    try {
      // Follow before the first look, so that a message stored between the two still wakes us.
      unfollow = await followers.follow(view.teamId, view.filter, (_, arrived) => wake(arrived))
      let match: StoredMessage | null = null
      // Nothing is awaited from here until `wake` is set, so no message is missed.
      let isNothingNew = after !== null && followers.isNothingAfter(view.teamId, view.filter, after)
      // A message that comes just before the end is looked at.
      do {
        const woken = new Promise<StoredMessage | null>((resolve) => {
          wake = resolve
          if (isOver) resolve(null)
        })
        const found = isNothingNew ? null : await look(match)
        if (found !== null) return found
        isNothingNew = false
        const again = lookAgain?.()
        const timer = again && setTimeout(() => wake(null), again.afterMs)
        match = await (again ? Promise.race([woken, again.sooner]) : woken)
        clearTimeout(timer)
        // For a client that has gone, nothing more is read: the database may be closed by then.
        view.proceed?.()
      } while (!isOver || match !== null)
      if (isClosing) throw shuttingDown()
      return null
    } finally {
      unfollow()
      clearTimeout(timer)
      all.delete(held)
      heldByKey.remove(keyId)
    }
  }

  return {
    // Not async: a held wait keeps every async function that it is in.
    until: (view, options, look) => (options.waitMs === 0 ? look(null) : hold(view, options, look)),
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
  return new AppError('shutting_down', 'The server is restarting. Please retry.', RETRY_SOON)
}
