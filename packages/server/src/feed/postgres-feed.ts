import { randomUUID } from 'node:crypto'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { createLocalFeed, type Broadcasts, type Feed } from './feed.ts'
import { keepConnected, NOTIFY } from './postgres-feed-connection.ts'

export type SharedFeed = Feed & {
  /** Whether this process holds the lock with this number. When it ends, another process can get the lock. */
  holdsLock(lock: number): Promise<boolean>
  broadcasts: Broadcasts
  close(): Promise<void>
}

type Options = { url: string; onError: (error: unknown) => void; now?: () => number }

/** How often a process says that it is there. */
const PRESENT_EVERY_MS = 1_000
/** A process that has been silent for longer has ended, or is so busy that its readers find their messages by polling. */
const SILENT_MS_MAX = 5_000

/**
 * Wakes the readers of every process on the same database: those of this process directly, those of others through a
 * notification that contains only the team. If one is lost, readers notice the message at their next poll. A process that has heard no
 * other for a while sends no notifications: without replicas, that would be a tenth of the work under load.
 */
export function createPostgresFeed({ url, onError, now = () => performance.now() }: Options): SharedFeed {
  const local = createLocalFeed()
  const self = randomUUID()
  const unsent = new Set<string>()
  const takers = new Set<(text: string | null) => void>()
  let sending: Promise<void> | null = null
  /** Of another process. Until it could have been heard, there may be one. */
  let heardAt = now()
  const connection = keepConnected({
    url,
    // Notifications sent while disconnected are lost.
    onConnected() {
      heardAt = now()
      sayPresent()
      local.wakeAll()
      for (const take of takers) take(null)
    },
    onNotification(payload) {
      const [sender, teamId] = payload.split(' ', 2)
      if (teamId === undefined || sender === self) return
      heardAt = now()
      if (teamId === PRESENT) return
      if (teamId !== BROADCAST) return local.wake(teamId, null)
      for (const take of takers) take(payload.slice(sender!.length + BROADCAST.length + 2))
    },
    onError,
  })
  const presence = setInterval(sayPresent, PRESENT_EVERY_MS).unref()

  function sayPresent(): void {
    // A lost connection is reported once, by `keepConnected`.
    connection.query(NOTIFY, [[`${self} ${PRESENT}`]]).catch(() => {})
  }

  /** Notifies once per team for all messages of this turn of the event loop, or since the last notification was sent. */
  async function send(): Promise<void> {
    try {
      await endOfTurn()
      while (unsent.size > 0) {
        const payloads = Array.from(unsent, (teamId) => `${self} ${teamId}`)
        unsent.clear()
        await connection.query(NOTIFY, [payloads])
      }
    } catch (error) {
      onError(error)
    } finally {
      sending = null
    }
  }

  return {
    subscribe: local.subscribe,
    wake(teamId, message) {
      local.wake(teamId, message)
      if (now() - heardAt > SILENT_MS_MAX) return
      unsent.add(teamId)
      sending ??= send()
    },
    broadcasts: {
      isShared: true,
      async send(text) {
        try {
          return (await connection.query(NOTIFY, [[`${self} ${BROADCAST} ${text}`]])) !== null
        } catch (error) {
          onError(error)
          return false
        }
      },
      onMessage(take) {
        takers.add(take)
        return () => void takers.delete(take)
      },
    },
    async holdsLock(lock) {
      // The lock belongs to the connection, so it is released when the process ends in any way.
      const tryLock = 'select pg_try_advisory_lock($1, $2) as "isMine"'
      // Without a connection there is no lock. `onError` has reported the lost connection.
      const rows = await connection.query<{ isMine: boolean }>(tryLock, [LOCK_CLASS, lock]).catch(() => null)
      return rows?.[0]?.isMine === true
    },
    async close() {
      clearInterval(presence)
      await sending
      await connection.close()
    },
  }
}

/** In place of a team. An older version wakes the readers of this team, and there are none. */
const BROADCAST = '!'
const PRESENT = '.'
/** Separates these advisory locks from all others in the database. */
const LOCK_CLASS = 0x6d61696c
