import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../../test/support/postgres.ts'
import { seededRandom, type SeededRandom } from '../../test/support/seeded-random.ts'
import { temporaryFolder } from '../../test/support/server.ts'
import type { Database } from './database.ts'
import type { Mailbox } from './mailboxes.ts'
import type { NewMessage } from './messages.ts'
import { openPostgresDatabase } from './postgres-database.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import { createSqlStore } from './sql-store.ts'
import { fixedSql, sql } from './sql.ts'
import { messageFor, newId, NOW } from './store-contract.ts'
import type { Store } from './store.ts'
import type { NewEvent } from './webhooks.ts'

const MESSAGES = 200
const WORDS = [
  '',
  'Hello',
  'Grüße 👋',
  'ÀÉÎ',
  '日本語',
  'it\'s "quoted" \\ back',
  '{"json": [1]}',
  '\t\r\n',
  'x'.repeat(5_000),
]
const TABLES = ['team_state', 'messages', 'message_contents', 'deliveries', 'outboxes', 'mailboxes', 'removed_messages']
/** By the clock of the database, if it has one. */
const CLOCKED = ['next_attempt_at', 'due_at']

type Announced = { mailbox: Mailbox; message: NewMessage; event: NewEvent | null }

/** Some are repeated, some have a mailbox that is gone or renamed, and some have deliveries, also to an endpoint that is off. */
function announcements(random: SeededRandom, mailboxes: Mailbox[], endpointIds: string[]): Announced[] {
  const all: Announced[] = []
  while (all.length < MESSAGES) {
    const word = () => random.pick(WORDS)
    const mailbox = random.pick(mailboxes)
    const values = {
      tag: random.chance(0.5) ? `t${random.below(3)}` : null,
      subject: word(),
      fromName: random.chance(0.5) ? word() : null,
      text: random.chance(0.8) ? word() : null,
      html: random.chance(0.5) ? `<p>${word()}</p>` : null,
      headers: [{ name: 'X-Odd', value: word() }],
      codes: random.chance(0.3) ? [{ value: '482913', confidence: 0.9, context: word() }] : [],
      size: random.chance(0.9) ? random.below(10_000) : null,
      parse: random.pick(['complete', 'partial', 'failed'] as const),
    }
    const deliveries = endpointIds.map((endpointId) => ({ id: newId(), endpointId }))
    const event = random.chance(0.4) ? { id: newId(), body: JSON.stringify({ word: word() }), deliveries } : null
    const isRepeated = all.length > 0 && random.chance(0.15)
    all.push(isRepeated ? random.pick(all) : { mailbox, message: messageFor(mailbox, values), event })
  }
  return all
}

/** The same teams, mailboxes and endpoints in each store. */
async function prepare(store: Store, { team, mailboxes, endpoints }: Prepared): Promise<void> {
  await store.addTeam({ ...team, createdAt: NOW, isBootstrap: false }, null)
  for (const mailbox of mailboxes) await store.addMailbox(mailbox, null)
  const [, renamed, hidden] = mailboxes
  await store.renameMailbox(renamed!, { name: 'other', at: NOW })
  await store.hideMailbox(hidden!, NOW)
  const fields = { description: null, mailbox: null, tag: null, secret: 's', secretMasked: 's…', createdAt: NOW }
  for (const id of endpoints)
    await store.addEndpoint({ ...fields, id, teamId: team.id, url: `https://${id}.example/` }, 9)
  await store.updateEndpoint({ teamId: team.id, id: endpoints[1]! }, { isActive: false }, NOW)
}

type Prepared = ReturnType<typeof newPrepared>

function newPrepared() {
  const team = { id: newId(), name: 'Team', plan: 'enterprise' as const, retentionDays: null, domain: 'shop.example' }
  const mailboxes = ['qa', 'renamed', 'hidden'].map((name) => {
    return { id: newId(), teamId: team.id, name, domain: 'shop.example', createdAt: NOW, updatedAt: NOW }
  })
  return { team, mailboxes, endpoints: [newId(), newId()] }
}

async function rowsOf(database: Database): Promise<Record<string, object[]>> {
  const tables: Record<string, object[]> = {}
  for (const table of TABLES) {
    const rows = await database.read<Record<string, unknown>>(fixedSql(`select * from ${table}`))
    const comparable = rows.map((row) => {
      const columns = Object.entries(row).map(([name, value]) => [name, CLOCKED.includes(name) ? typeof value : value])
      return Object.fromEntries(columns.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)))
    })
    tables[table] = comparable.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
  }
  return tables
}

async function openPrepared() {
  const database = await openPostgresDatabase(await freshDatabase())
  const store = createSqlStore(database, { onError: (error) => expect.unreachable(String(error)) })
  onTestFinished(() => store.close())
  const prepared = newPrepared()
  await prepare(store, prepared)
  return { database, store, prepared, mailbox: prepared.mailboxes[0]! }
}

test('a new delivery is due now, and does not delay an earlier one', async () => {
  const { database, store, prepared, mailbox } = await openPrepared()
  const deliver = () => {
    const deliveries = [{ id: newId(), endpointId: prepared.endpoints[0]! }]
    return store.addMessage(mailbox, messageFor(mailbox), { id: newId(), body: '{}', deliveries })
  }
  const dueAt = async () => (await database.read<{ due: number }>(sql`select due_at as due from outboxes`))[0]!.due
  const before = Date.now()
  await deliver()
  // The server has the clock of this machine.
  expect(await dueAt()).toBeGreaterThanOrEqual(before - 1_000)
  expect(await dueAt()).toBeLessThanOrEqual(Date.now() + 1_000)
  await database.write(sql`update outboxes set due_at = 5`)
  await deliver()
  expect(await dueAt()).toBe(5)
})

test.each([1, 2, 3])(
  'one call on PostgreSQL leaves the rows that the statements leave on SQLite (seed %i)',
  async (seed) => {
    const databases = [
      openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db')),
      await openPostgresDatabase(await freshDatabase()),
    ]
    const stores = databases.map((database) =>
      createSqlStore(database, { onError: (error) => expect.unreachable(String(error)) }),
    )
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
    const prepared = newPrepared()
    for (const store of stores) await prepare(store, prepared)
    const random = seededRandom(seed)
    const all = announcements(random, prepared.mailboxes, prepared.endpoints)
    const [onSqlite, onPostgres] = await Promise.all(
      stores.map(async (store) => {
        const outcomes: unknown[] = []
        for (let start = 0; start < all.length; start += 50) {
          const group = all.slice(start, start + 50)
          // Together, so that they share calls.
          const stored = group.map(({ mailbox, message, event }) => store.addMessage(mailbox, message, event))
          outcomes.push(...(await Promise.all(stored)))
          await store.removeMessages(prepared.team.id, [start / 10 + 1], NOW)
        }
        return outcomes
      }),
    )
    expect(onPostgres).toEqual(onSqlite)
    expect(new Set(onSqlite)).toContain('duplicate')
    expect(new Set(onSqlite)).toContain('mailbox gone')
    const [expected, actual] = await Promise.all(databases.map(rowsOf))
    expect(actual).toEqual(expected)
    expect(expected!['messages']!.length).toBeGreaterThan(20)
    expect(expected!['deliveries']!.length).toBeGreaterThan(5)
  },
)
