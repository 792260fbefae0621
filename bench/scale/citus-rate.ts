import { randomInt } from 'node:crypto'
import { messageAt } from '../search/mail.ts'
import type { MadeTeam } from './citus-teams.ts'
import type { Store } from '../../packages/server/src/store/store.ts'

/** Parallel clients, as in bench/search. */
const CONCURRENT = 64
/** Of which `messageAt` draws one. */
const MAILBOXES = 100
const WARM_UP_MS = 2_000

/** Messages stored per second, each for a random team. */
export async function intakeRate(store: Store, teams: MadeTeam[], sampleMs: number): Promise<number> {
  await storeFor(store, teams, WARM_UP_MS)
  return storeFor(store, teams, sampleMs)
}

async function storeFor(store: Store, teams: MadeTeam[], durationMs: number): Promise<number> {
  const startedAt = performance.now()
  const now = Date.now()
  let stored = 0
  const client = async () => {
    while (performance.now() - startedAt < durationMs) {
      const { mailbox } = teams[randomInt(teams.length)]!
      const message = messageAt(randomInt(1_000_000), 1_000_000, Array<typeof mailbox>(MAILBOXES).fill(mailbox), now)
      await store.addMessage(mailbox, message)
      stored++
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, client))
  return (stored / (performance.now() - startedAt)) * 1000
}
