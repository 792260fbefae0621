import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fold } from '../../src/domain/fold.ts'
import { createSqlStore } from '../../src/store/sql-store.ts'
import { openSqliteDatabase } from '../../src/store/sqlite-database.ts'
import { addMailbox, addTeam, messageFor } from '../../src/store/store-contract.ts'
import type { Mailbox } from '../../src/store/mailboxes.ts'
import type { Store } from '../../src/store/store.ts'
import { randomCombinations, repeatedTo, unicodeRows, type OddText } from '../support/odd-texts.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { temporaryFolder } from '../support/server.ts'
import { processorMs } from './text-growth.ts'

const SEED = Number(process.env['SEARCH_SEED'] ?? 1)
const FEW = 60
const GROWTH = 4
/** Above what the index signs, so that every search reads all of it. */
const TEXT_BYTES = 80_000
const NEEDLES = 4
/** The characters of the needle before the one that no text has. */
const NEEDLE_CHARACTERS = 60
const BATCHES = 3
/** One search takes a few milliseconds, and the processor clock may tick every 8 ms. */
const BATCH_MS = 80
/** Four, and a margin for caches. In quadratic time it would be sixteen. */
const RATIO_MAX = 8

test(`searching ${GROWTH} times as much hostile text takes at most ${RATIO_MAX} times as long (seed ${SEED})`, async () => {
  const random = seededRandom(SEED)
  const rows = unicodeRows(random)
  const odd = [
    ...randomCombinations(random, rows, FEW / 2),
    ...Array.from({ length: FEW / 2 }, () => random.pick(rows)),
  ]
  // Nearly found at every repetition, which is what takes the longest.
  const needles = Array.from({ length: NEEDLES }, () => almost(random.pick(odd)))
  const store = openStore()
  const few = await teamWith(store, odd)
  const many = await teamWith(store, Array.from({ length: GROWTH }, () => odd).flat())
  const ratios: number[] = []
  for (const needle of needles)
    ratios.push((await searchMs(store, many, needle)) / (await searchMs(store, few, needle)))
  console.info(`seed ${SEED}: ratios ${ratios.map((ratio) => ratio.toFixed(1)).join(', ')}`)
  expect(ratios.filter((ratio) => ratio > RATIO_MAX)).toEqual([])
})

function openStore(): Store {
  const database = openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db'))
  const store = createSqlStore(database, { onError: (error) => expect.unreachable(String(error)) })
  onTestFinished(() => store.close())
  return store
}

async function teamWith(store: Store, texts: OddText[]): Promise<Mailbox> {
  const mailbox = await addMailbox(store, await addTeam(store), 'qa')
  for (const odd of texts) {
    const added = await store.addMessage(mailbox, messageFor(mailbox, { text: repeatedTo(TEXT_BYTES, odd) }))
    expect(added).not.toBeNull()
  }
  return mailbox
}

function almost({ unit }: OddText): string {
  const beginning = Array.from(unit.repeat(NEEDLE_CHARACTERS)).slice(0, NEEDLE_CHARACTERS).join('')
  return fold(`${beginning}\u{10fffd}`)
}

/** Processor time. Other batches may include garbage collection. */
async function searchMs(store: Store, { teamId }: Mailbox, needle: string): Promise<number> {
  const view = { teamId, oldestReceivedAt: 0, filter: { q: [needle] } }
  const search = () => store.listMessages(view, { limit: 5, before: null })
  expect(await search()).toEqual([])
  let best = Infinity
  for (let batch = 0; batch < BATCHES; batch++) best = Math.min(best, await processorMs(search, BATCH_MS))
  return best
}
