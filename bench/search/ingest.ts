import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { createSqlStore } from '../../packages/server/src/store/sql-store.ts'
import { BLOCK_SIZE } from '../../packages/server/src/store/text-block.ts'
import { removeFolder } from '../programs.ts'
import { median, perSecond } from '../statistics.ts'
import { openPlace, type Databases } from './databases.ts'
import { addTeam } from './fill.ts'
import { messageAt } from './mail.ts'

const MESSAGES = 30_000
/** A block of this size is never complete, so it is never indexed. */
const INCOMPLETE = 2 ** 40
/** Parallel clients. */
const CONCURRENT = 64

export type Ingest = { on: number; off: number; ratio: number }

/** Messages stored per second with indexing, compared with a store that never indexes; medians. */
export async function measureIngest(databases: Databases, folder: string, rounds: number): Promise<Ingest> {
  const rates = { on: [] as number[], off: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const)
    for (const indexing of order) {
      rates[indexing].push(await ingest(databases, folder, indexing === 'on' ? BLOCK_SIZE : INCOMPLETE))
      process.stderr.write(`\ringest: round ${round + 1} of ${rounds} `)
    }
  }
  process.stderr.write('\n')
  const [on, off] = [median(rates.on), median(rates.off)]
  return { on, off, ratio: on / off }
}

async function ingest(databases: Databases, parent: string, blockSize: number): Promise<number> {
  const folder = mkdtempSync(join(parent, 'ingest-'))
  const store = createSqlStore(await openPlace(await databases.placeIn(folder)), {
    blockSize,
    onError: (error) => {
      throw error
    },
  })
  const mailboxes = await addTeam(store, 'large')
  const now = Date.now()
  const messages = Array.from({ length: MESSAGES }, (_, index) => messageAt(index, MESSAGES, mailboxes, now))
  const byName = new Map(mailboxes.map((mailbox) => [mailbox.name, mailbox]))
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      for (let message = messages.pop(); message; message = messages.pop()) {
        await store.addMessage(byName.get(message.objectMailbox)!, message)
      }
    }),
  )
  const rate = perSecond(MESSAGES, performance.now() - startedAt)
  await store.close()
  removeFolder(folder)
  return rate
}
