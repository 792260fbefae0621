import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { MessageFilter } from '../../src/domain/match.ts'
import { countMatching } from '../../src/read/count.ts'
import { explain } from '../../src/read/explain.ts'
import { createSqlStore } from '../../src/store/sql-store.ts'
import { openSqliteDatabase } from '../../src/store/sqlite-database.ts'
import { sql } from '../../src/store/sql.ts'
import type { View } from '../../src/store/messages.ts'
import type { Store } from '../../src/store/store.ts'
import { createMetrics } from '../../src/manage/metrics.ts'
import { fillWithMessages, type Filled } from './many-messages.ts'
import { seededRandom, type SeededRandom } from './seeded-random.ts'
import { temporaryFolder } from './server.ts'
import { longestHoldMs } from './work-time.ts'

type Options = {
  messages: number
  searches: number
  seed: number
  /** The limit, given the time of one query over all messages, which must exceed it. */
  holdMsMax: (unboundedMs: number) => number
}

/** Queries a store with many messages for rare matches, with random filters through every method. */
export async function expectShortHolds({ messages, searches, seed, ...options }: Options): Promise<void> {
  const path = join(temporaryFolder(), 'mailhatch.db')
  const database = openSqliteDatabase(path)
  const store = createSqlStore(database, { onError: (error) => expect.unreachable(String(error)) })
  onTestFinished(() => store.close())
  const filled = await fillWithMessages(store, path, messages)
  const random = seededRandom(seed)

  const whole = sql`select count(*) as count from message_contents where instr(lower(text), 'zq') > 0`
  const unboundedMs = await longestHoldMs(() => database.read(whole))
  const holdMsMax = options.holdMsMax(unboundedMs)
  expect(unboundedMs).toBeGreaterThan(holdMsMax)

  const holds: { asked: string; holdMs: number }[] = []
  for (let count = 0; count < searches; count++) {
    const view: View = { teamId: filled.team.id, oldestReceivedAt: 0, filter: randomFilter(random, filled, messages) }
    const after = random.pick([null, null, 5, Math.floor(messages / 2), messages - 100])
    const [name, ask] = random.pick(Object.entries(waysToAsk(store, filled, messages)))
    // The best of two, because garbage may be collected during one of them.
    let holdMs = Infinity
    for (let attempt = 0; attempt < 2 && holdMs > holdMsMax; attempt++)
      holdMs = Math.min(holdMs, await longestHoldMs(() => ask(view, after)))
    holds.push({ asked: `${name} ${JSON.stringify(view.filter)} after ${after}`, holdMs: Math.round(holdMs) })
  }
  holds.sort((one, other) => other.holdMs - one.holdMs)
  console.info(`seed ${seed}: one query for all ${Math.round(unboundedMs)} ms; the longest holds:`, holds.slice(0, 3))
  expect(holds.filter(({ holdMs }) => holdMs > holdMsMax)).toEqual([])
}

function waysToAsk(store: Store, { team, start }: Filled, messages: number) {
  const metrics = createMetrics({ store, now: () => start + messages * 60_000 })
  return {
    list: (view: View) => store.listMessages(view, { limit: 50, before: null }),
    'list further down': (view: View) =>
      store.listMessages(view, {
        limit: 50,
        before: { receivedAt: start + messages * 30_000, position: messages / 2 },
      }),
    latest: (view: View, after: number | null) => store.latestMessage(view, after),
    'latest, again': (view: View, after: number | null) => store.latestMessage(view, after),
    count: (view: View, after: number | null) => countMatching(store, view, after),
    // Like a removal by filter, but without deleting what others search.
    follow: (view: View, after: number | null) =>
      store.followMessages(view, { after: after ?? 0, upTo: messages, limit: 100 }),
    explain: (view: View, after: number | null) => explain({ store, now: () => start + 60_000 }, view, after),
    tags: () => metrics.tags(team),
    overview: () => metrics.overview(team),
  }
}

const NEEDLES = ['z', 'zq', 'ß', 'qz@', 'hello zebra', '9z', '漢']

function randomFilter(random: SeededRandom, { large, quiet, start }: Filled, messages: number): MessageFilter {
  const needle = () => [random.pick(NEEDLES)]
  const time = () => start + random.below(messages) * 60_000
  const makers: { [name in keyof MessageFilter]-?: () => MessageFilter[name] } = {
    mailboxId: () => random.pick([large, quiet]).id,
    mailbox: () => ({
      name: random.pick(['large', 'quiet', 'none']),
      tag: random.pick([null, 'often', 'tag7']),
      domain: random.pick([null, 'no.test']),
    }),
    tag: () => random.pick(['often', 'tag7', 'none']),
    tags: () =>
      random.pick([
        ['often', 'tag7'],
        ['tag1', 'tag3', 'none'],
      ]),
    to: needle,
    from: needle,
    subject: needle,
    text: needle,
    q: needle,
    header: () => ({ name: 'x-test', value: random.pick(NEEDLES) }),
    start: time,
    end: time,
    since: time,
  }
  const names = Object.keys(makers) as (keyof MessageFilter)[]
  const chosen = names.filter(() => random.below(names.length) < 2)
  return Object.fromEntries(chosen.map((name) => [name, makers[name]()]))
}
