import { randomInt } from 'node:crypto'
import type { Mailbox } from '../../packages/server/src/store/mailboxes.ts'
import type { Store } from '../../packages/server/src/store/store.ts'
import { messageAt } from '../search/mail.ts'
import { median } from '../statistics.ts'
import type { MadeTeam } from './citus-teams.ts'

/** Parallel clients, as in bench/search. */
const CONCURRENT = 64
/** Of which `messageAt` draws one. */
const MAILBOXES = 100
const WARM_UP_MS = 1_000
const SAMPLE_MS = 4_000

/** What is measured, each for a random one of the teams. */
export const KINDS = [
  { name: 'intake, all teams', teams: (all: MadeTeam[]) => all, once: storeOne },
  // The largest team: its lock orders all of it, and all of it lies on one node.
  { name: 'intake, one team', teams: (all: MadeTeam[]) => all.slice(0, 1), once: storeOne },
  { name: 'latest', teams: (all: MadeTeam[]) => all, once: readLatest },
]

export type Measured = { name: string; store: Store; teams: MadeTeam[] }

/** Rates per second by name and kind: the median of the rounds. */
export type Rates = { name: string; rates: number[] }[]

/** In turn, because other work on the machine changes with the time. */
export async function compareRates(all: Measured[], rounds: number): Promise<Rates> {
  const samples = all.map(() => KINDS.map((): number[] => []))
  for (let round = 0; round < rounds; round++) {
    for (const [kind, { teams: chosen, once }] of KINDS.entries()) {
      for (const [index, { store, teams }] of all.entries()) {
        const work = () => once(store, pick(chosen(teams)).mailbox)
        await repeat(work, WARM_UP_MS)
        samples[index]![kind]!.push(await repeat(work, SAMPLE_MS))
      }
    }
  }
  return all.map(({ name }, index) => ({ name, rates: samples[index]!.map(median) }))
}

export async function storeOne(store: Store, mailbox: Mailbox): Promise<void> {
  const mailboxes = Array<Mailbox>(MAILBOXES).fill(mailbox)
  await store.addMessage(mailbox, messageAt(randomInt(1_000_000), 1_000_000, mailboxes, Date.now()))
}

async function readLatest(store: Store, { teamId, name }: Mailbox): Promise<void> {
  const filter = { mailbox: { name, tag: null, domain: null } }
  const found = await store.latestMessage({ teamId, oldestReceivedAt: 0, filter }, null)
  if (found === null) throw new Error('There is no message to read.')
}

/** How often the work is done per second. */
async function repeat(work: () => Promise<void>, durationMs: number): Promise<number> {
  const startedAt = performance.now()
  let count = 0
  const client = async () => {
    for (; performance.now() - startedAt < durationMs; count++) await work()
  }
  await Promise.all(Array.from({ length: CONCURRENT }, client))
  return (count / (performance.now() - startedAt)) * 1000
}

function pick<Item>(items: Item[]): Item {
  return items[randomInt(items.length)]!
}
