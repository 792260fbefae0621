import pg, { type Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { administer, copyDatabase, emptyDatabase, freshDatabase } from '../../test/support/postgres.ts'
import { seededRandom } from '../../test/support/seeded-random.ts'
import { openCurrent } from '../../test/upgrade/current-replica.ts'
import { play, randomHistory, type Change } from '../../test/upgrade/history.ts'
import { connectedWith, killUpgrades } from '../../test/upgrade/killed-upgrade.ts'
import { catalogOf, migrateAtOnce, previousDatabase, query } from '../../test/upgrade/previous-database.ts'
import { connectPrevious } from '../../test/upgrade/previous-replica.ts'
import type { Box, Replica } from '../../test/upgrade/replica.ts'
import { rowsOf, setsOf } from '../../test/upgrade/rows.ts'
import { openPostgresDatabase } from './postgres-database.ts'
import { migratePostgres } from './postgres-migrations.ts'
import { NEWEST_SCHEMA } from './postgres-schema.ts'
import { connectAlone } from './postgres-session.ts'
import { createSqlStore } from './sql-store.ts'
import { messageFor } from './store-contract.ts'

const CHANGES = 400
/** Of the statements of an upgrade. The long form ends it at each. */
const KILLED_EVERY = 23

async function previous(url: string): Promise<Replica> {
  const replica = await connectPrevious(url)
  onTestFinished(() => replica.close())
  return replica
}

async function connected(url: string): Promise<Client> {
  const client = await connectAlone(url)
  onTestFinished(() => client.end())
  return client
}

/** The database that the previous version would have left, migrated while no server ran. */
async function withoutUpgrade(changes: Change[]): Promise<string> {
  const url = await previousDatabase()
  await play(changes, await previous(url))
  await migrateAtOnce(url)
  return url
}

test('an upgraded database has the schema of a new one', async () => {
  const url = await previousDatabase()
  await play(randomHistory(1, 50), await previous(url))
  await migratePostgres(await connected(url), { isFinish: true })
  expect(await catalogOf(url)).toEqual(await catalogOf(await freshDatabase()))
})

test.each([1, 2])('servers of both versions write the same as one (%i)', async (seed) => {
  const random = seededRandom(seed)
  const changes = randomHistory(seed, CHANGES)
  const expected = await withoutUpgrade(changes)

  const url = await previousDatabase()
  const old = await previous(url)
  const left = changes.slice(CHANGES / 4)
  await play(changes.slice(0, CHANGES / 4), old)
  const between = await connectedWith(url, async (client) => {
    // Within a transaction, the upgrade has locks for which the other server would wait.
    if (client.getTransactionStatus() === 'I') await play(left.splice(0, random.chance(0.5) ? 1 : 0), old)
  })
  expect(await migratePostgres(between)).toMatchObject({ version: 10 })
  await between.end()

  const current = await openCurrent(url)
  onTestFinished(() => current.close())
  while (left.length > 20) await left.shift()!(random.chance(0.5) ? old : current)
  expect(await migratePostgres(await connected(url), { isFinish: true })).toEqual({ version: NEWEST_SCHEMA, part: 0 })
  // The server that started before the end of the upgrade is still there.
  await play(left, current)

  expect(await rowsOf(url)).toEqual(await rowsOf(expected))
  const [sets, expectedSets] = [await setsOf(url), await setsOf(expected)]
  expect(sets.formerHolders).toEqual(expect.arrayContaining(expectedSets.formerHolders))
  for (const [teamId, dueAt] of expectedSets.dueAt) expect(sets.dueAt.get(teamId)).toBeLessThanOrEqual(dueAt)
})

test('an upgrade that is killed continues', async () => {
  const checked = await killUpgrades({ empty: emptyDatabase, copy: copyDatabase }, { first: 2, every: KILLED_EVERY })
  expect(checked).toBeGreaterThan(5)
})

test('an index whose build was killed is built again', async () => {
  const url = await previousDatabase()
  await play(randomHistory(6, 50), await previous(url))
  const reader = await connected(url)
  // A build waits for transactions that may still need the rows that it has not seen.
  await reader.query('begin isolation level repeatable read; select count(*) from messages')
  const client = await connected(url)
  const upgrade = migratePostgres(client).catch(String)
  const building = `select pid from pg_stat_activity where query like 'create % index concurrently%' and wait_event_type = 'Lock'`
  await expect.poll(() => query(url, building)).toHaveLength(1)
  await administer(url, `select pg_terminate_backend(pid) from (${building}) x`)
  expect(await upgrade).toContain('terminat')
  expect(await query(url, 'select from pg_index where not indisvalid')).toHaveLength(1)
  await reader.query('commit')
  await migratePostgres(await connected(url), { isFinish: true })
  expect(await catalogOf(url)).toEqual(await catalogOf(await freshDatabase()))
})

test('of two servers that want one name at once, an older one does not take it from the other', async () => {
  const url = await previousDatabase()
  const old = await previous(url)
  for (const id of ['one', 'two']) await old.addTeam({ id, domain: null })
  await migratePostgres(await connected(url))
  const [first, second] = [new pg.Client(url), new pg.Client(url)]
  for (const client of [first, second]) {
    await client.connect()
    onTestFinished(() => client.end())
  }
  const add = (teamId: string) => `
    insert into mailboxes (id, team_id, name, domain, created_at, updated_at)
    values ('box of ${teamId}', '${teamId}', 'qa', 'root.test', 1, 1)
    on conflict do nothing`
  await first.query(`begin; ${add('one')}`)
  const adding = second.query(add('two')).catch((error: unknown) => error)
  const isWaiting = `select 1 from pg_stat_activity where query like '%box of two%' and wait_event_type = 'Lock'`
  await expect.poll(() => query(url, isWaiting)).toHaveLength(1)
  await first.query('commit')
  // It fails once. When it is tried again, the name is taken.
  expect(await adding).toMatchObject({ code: '23505' })
  expect(await query(url, `select team_id from mailboxes where name = 'qa'`)).toEqual([{ team_id: 'one' }])
  expect(await query(url, 'select team_id from root_names')).toEqual([{ team_id: 'one' }])
})

test('a delivery that an older server is leasing is not leased by a newer one', async () => {
  const url = await previousDatabase()
  const old = await previous(url)
  await old.addTeam({ id: 'one', domain: null })
  await migratePostgres(await connected(url))
  const store = createSqlStore(await openPostgresDatabase(url), {
    onError: (error) => expect.unreachable(String(error)),
  })
  onTestFinished(() => store.close())
  const mailbox = { id: 'box', teamId: 'one', name: 'qa', domain: 'root.test', createdAt: 1, updatedAt: 1 }
  await store.addMailbox(mailbox, null)
  const fields = { description: null, mailbox: null, tag: null, secret: 's', secretMasked: 's', createdAt: 1 }
  await store.addEndpoint({ ...fields, id: 'end', teamId: 'one', url: 'https://end.example/' }, 9)
  const send = (id: string) => {
    const deliveries = [{ id, endpointId: 'end' }]
    return store.addMessage(mailbox, messageFor(mailbox), { id: `event ${id}`, body: '{}', deliveries })
  }
  const lease = () =>
    store.leaseDeliveries({ owner: 'new', at: Date.now(), leaseMs: 60_000, limit: 9, perEndpoint: 5, oneAtATime: [] })
  await send('first')
  expect((await lease()).map(({ id }) => id)).toEqual(['first'])
  await send('second')
  const older = new pg.Client(url)
  await older.connect()
  onTestFinished(() => older.end())
  await older.query(`
    begin;
    select id from webhook_endpoints where id = 'end' for no key update;
    update deliveries set lease_owner = 'old', lease_until = ${Date.now() + 60_000} where id = 'second'`)
  const leasing = lease()
  const isWaiting = `select 1 from pg_stat_activity where query like '%lock_team%' and wait_event_type = 'Lock'`
  await expect.poll(() => query(url, isWaiting)).toHaveLength(1)
  await older.query('commit')
  expect(await leasing).toEqual([])
})

test('a database without teams is prepared for both versions while an older server is connected', async () => {
  const url = await previousDatabase()
  const older = new pg.Client({ connectionString: url, application_name: 'mailhatch feed' })
  await older.connect()
  onTestFinished(() => older.end())
  expect(await migratePostgres(await connected(url))).toMatchObject({ version: 10 })
})

test('the finish is refused while an older server is connected', async () => {
  const url = await previousDatabase()
  await play(randomHistory(7, 20), await previous(url))
  const older = new pg.Client({ connectionString: url, application_name: 'mailhatch feed' })
  await older.connect()
  const client = await connected(url)
  await expect(migratePostgres(client, { isFinish: true })).rejects.toThrow(
    /^Servers of an older version are connected from 127\.0\.0\.1\. Stop them, then finish the upgrade again\.$/,
  )
  await older.end()
  // The server takes a moment to end the connection.
  await expect
    .poll(() => migratePostgres(client, { isFinish: true }).catch(() => null))
    .toEqual({ version: NEWEST_SCHEMA, part: 0 })
})

test('a rename by an older server resets the text index of newer ones, and the other way round', async () => {
  const url = await previousDatabase()
  const old = await previous(url)
  const box = { teamId: 'one', id: 'box', name: 'qa', domain: 'root.test' }
  await old.addTeam({ id: 'one', domain: null })
  await old.addMailbox({ ...box, isCaught: false })
  await old.addMessage(box, { id: 'message', text: 'Hello' })
  await migratePostgres(await connected(url))
  const current = await openCurrent(url)
  onTestFinished(() => current.close())
  const state = async () => {
    const [row] = await query<Record<string, string>>(
      url,
      `select t.indexed_through as old, t.index_resets as old_resets, s.indexed_through as new, s.index_resets as new_resets
       from teams t join team_state s on s.team_id = t.id`,
    )
    return Object.fromEntries(Object.entries(row!).map(([name, value]) => [name, Number(value)]))
  }
  await administer(url, 'update teams set indexed_through = 4095; update team_state set indexed_through = 2047')
  await old.renameMailbox(box, 'dev')
  expect(await state()).toEqual({ old: -1, old_resets: 1, new: -1, new_resets: 1 })
  await administer(url, 'update teams set indexed_through = 4095; update team_state set indexed_through = 2047')
  await current.renameMailbox({ ...box, name: 'dev' }, 'shop')
  expect(await state()).toEqual({ old: -1, old_resets: 2, new: -1, new_resets: 2 })
})

test('what a team receives through an older server no longer is remembered for newer ones', async () => {
  const url = await previousDatabase()
  const old = await previous(url)
  await old.addTeam({ id: 'one', domain: null })
  await old.addTeam({ id: 'two', domain: 'two.test' })
  const boxes = ['renamed', 'hidden', 'lost'].map((name) => ({ teamId: 'one', id: name, name, domain: 'next.test' }))
  for (const box of boxes) await old.addMailbox({ ...box, isCaught: false })
  await migratePostgres(await connected(url))
  await old.renameMailbox(boxes[0]!, 'other')
  await old.hideMailbox(boxes[1]!)
  await old.moveTeam('two', 'next.test')
  const { formerHolders } = await setsOf(url)
  expect(formerHolders.sort()).toEqual([
    'next.test hidden one',
    'next.test lost one',
    'next.test other one',
    'next.test renamed one',
    'two.test  two',
  ])
  expect(await query(url, 'select from root_names')).toEqual([])
})

test('an id that one team has, or had, is not stored for another while both versions run', async () => {
  const url = await previousDatabase()
  const old = await previous(url)
  const boxes = ['one', 'two'].map((teamId) => ({ teamId, id: `box-${teamId}`, name: teamId, domain: 'root.test' }))
  for (const box of boxes) {
    await old.addTeam({ id: box.teamId, domain: null })
    await old.addMailbox({ ...box, isCaught: false })
  }
  const [one, two] = boxes as [Box, Box]
  for (const id of ['kept', 'removed']) await old.addMessage(one, { id, text: 'Hello' })
  await old.removeMessages('one', [2])
  await migratePostgres(await connected(url))
  const current = await openCurrent(url)
  onTestFinished(() => current.close())
  for (const id of ['kept', 'removed', 'other']) await current.addMessage(two, { id, text: 'Hello' })
  await old.addMessage(one, { id: 'other', text: 'Hello' })
  const stored = await query(url, 'select team_id, position, id from messages order by team_id')
  expect(stored).toEqual([
    { team_id: 'one', position: '1', id: 'kept' },
    { team_id: 'two', position: '1', id: 'other' },
  ])
})

test('mail that servers of both versions store at once has positions without gaps, also while the upgrade runs', async () => {
  const url = await previousDatabase()
  const box = { teamId: 'one', id: 'box', name: 'qa', domain: 'root.test' }
  const old = [await previous(url), await previous(url)]
  await old[0]!.addTeam({ id: 'one', domain: null })
  await old[0]!.addMailbox({ ...box, isCaught: false })
  let sent = 0
  let isOver = false
  const send = async (replica: Replica) => {
    while (!isOver) await replica.addMessage(box, { id: `message${++sent}`, text: 'Hello' })
  }
  const sending = old.map(send)
  const client = await connected(url)
  await migratePostgres(client)
  const current = await openCurrent(url)
  onTestFinished(() => current.close())
  sending.push(send(current), send(current))
  const before = sent
  await expect.poll(() => sent).toBeGreaterThan(before + 200)
  isOver = true
  await Promise.all(sending)
  await migratePostgres(client, { isFinish: true })
  // Servers that take different locks would collide again and again, although all of them try again.
  const [collisions] = await query<{ deadlocks: string }>(
    url,
    'select deadlocks from pg_stat_database where datname = current_database()',
  )
  expect(collisions).toEqual({ deadlocks: '0' })
  const [counts] = await query<Record<string, string>>(
    url,
    `select count(*) as messages, max(m.position) as last, max(s.last_position) as last_position,
            max(s.message_count) as message_count, count(c.position) as contents
     from messages m join team_state s on s.team_id = m.team_id
          left join message_contents c on c.team_id = m.team_id and c.position = m.position`,
  )
  expect(new Set(Object.values(counts!))).toEqual(new Set([String(sent)]))
})
