import { randomUUID } from 'node:crypto'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { createLocalFeed, type Feed } from './feed.ts'
import { keepConnected, NOTIFY } from './postgres-feed-connection.ts'

export type SharedFeed = Feed & {
  /** Whether this is the one process of all that asked for the same turn; the next, when this one is gone. */
  hasTurn(turn: number): Promise<boolean>
  close(): Promise<void>
}

type Options = { url: string; onTrouble: (error: unknown) => void }

/**
 * Wakes the readers of every process on the same database. Those of this one at once and without it; the others by a
 * notification that says which team and nothing else. One that is lost costs them the time until they look by themselves.
 */
export function createPostgresFeed({ url, onTrouble }: Options): SharedFeed {
  const local = createLocalFeed()
  const self = randomUUID()
  const unsent = new Set<string>()
  let sending: Promise<void> | null = null
  const connection = keepConnected({
    url,
    // What happened while nobody listened is not told again.
    onConnected: local.wakeAll,
    onNotification(payload) {
      const [sender, teamId] = payload.split(' ')
      if (teamId !== undefined && sender !== self) local.wake(teamId, null)
    },
    onTrouble,
  })

  /** However many messages came in this turn, or since the last notification was sent, each team is named once. */
  async function send(): Promise<void> {
    try {
      await endOfTurn()
      while (unsent.size > 0) {
        const payloads = Array.from(unsent, (teamId) => `${self} ${teamId}`)
        unsent.clear()
        await connection.ask(NOTIFY, [payloads])
      }
    } catch (error) {
      onTrouble(error)
    } finally {
      sending = null
    }
  }

  return {
    subscribe: local.subscribe,
    wake(teamId, message) {
      local.wake(teamId, message)
      unsent.add(teamId)
      sending ??= send()
    },
    async hasTurn(turn) {
      // Held by the connection, and so given back when the process ends in whatever way.
      const lock = 'select pg_try_advisory_lock($1, $2) as "isMine"'
      // Whoever cannot ask does not have it; that the connection is lost is told elsewhere.
      const rows = await connection.ask<{ isMine: boolean }>(lock, [TURNS, turn]).catch(() => null)
      return rows?.[0]?.isMine === true
    },
    async close() {
      await sending
      await connection.close()
    },
  }
}

/** Sets these locks apart from all others in the database. */
const TURNS = 0x6d61696c
