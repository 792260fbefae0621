import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { sqlOf, type Database } from './database.ts'
import { addToOutbox } from './sql-outbox.ts'
import { createSqlStore } from './sql-store.ts'
import { assemble, sql, type Sql } from './sql.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import { newId } from './store-contract.ts'
import type { Store } from './store.ts'
import { attemptOf, NOW, startWebhooks } from './webhook-contract.ts'
import type { EndpointKey } from './webhooks.ts'

/** An endpoint with more pending deliveries than fit into one step, and a database that tests can watch and break. */
async function start() {
  const database = openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db'))
  const changed: number[] = []
  const power = { stepsLeft: Infinity }
  const read: Sql[] = []
  const written: Sql[] = []
  const watched: Database = {
    ...database,
    read(query) {
      read.push(query)
      return database.read(query)
    },
    async writeFor(teamId, ...statements) {
      written.push(...statements.map(sqlOf))
      const isStep = statements.some((one) => assemble(sqlOf(one)).text.includes('endpoint inactive'))
      if (isStep && power.stepsLeft-- <= 0) throw new Error('the power is gone')
      const results = await database.writeFor(teamId, ...statements)
      if (isStep) changed.push(Number(results[0]))
      return results
    },
  }
  const store = createSqlStore(watched, {
    onError(error) {
      throw error
    },
  })
  onTestFinished(() => store.close())
  const webhooks = await startWebhooks(async () => store)
  const { teamId, id } = await webhooks.addEndpoint()
  const addPending = () =>
    database.write(
      sql`
      with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 1200)
      insert into deliveries (team_id, id, endpoint_id, event, event_id, message_id, body, status, next_attempt_at,
                              created_at)
      select ${teamId}, ${newId()} || number, ${id}, 'email.received', 'event', 'message', '{}', 'pending', ${NOW}, ${NOW}
      from numbers`,
      addToOutbox(teamId, sql`endpoint_id = ${id}`),
    )
  await addPending()
  const count = async (status: string) => {
    const [row] = await database.read<{ count: number }>(
      sql`select count(*) as count from deliveries where team_id = ${teamId} and endpoint_id = ${id} and status = ${status}`,
    )
    return row!.count
  }
  return { ...webhooks, database, read, written, where: { teamId, id }, changed, power, addPending, count }
}

test('pending deliveries of a disabled endpoint fail in small steps', async () => {
  const { store, lease, where, changed, addPending, count } = await start()
  await store.updateEndpoint(where, { isActive: false }, NOW)
  expect(changed).toEqual([500, 500, 200])
  expect(await count('pending')).toBe(0)
  await store.updateEndpoint(where, { isActive: true }, NOW)
  await addPending()
  changed.length = 0
  const [leased] = await lease({ limit: 1 })
  const disableEndpoint = { reason: 'Gone.', failingSince: null }
  await store.finishAttempt('one', attemptOf(leased!, { outcome: { status: 'failed' }, disableEndpoint }))
  expect(changed).toEqual([500, 500, 199])
  expect(await count('pending')).toBe(0)
})

test.each([
  ['repeating the call', (store: Store, where: EndpointKey) => store.failInactive(where, { limit: 900, at: NOW })],
  ['enabling the endpoint', (store: Store, where: EndpointKey) => store.updateEndpoint(where, { isActive: true }, NOW)],
])('after a crash, %s finishes it', async (_, finish) => {
  const { store, where, power, count } = await start()
  power.stepsLeft = 1
  await expect(store.updateEndpoint(where, { isActive: false }, NOW)).rejects.toThrow('the power is gone')
  expect(await count('pending')).toBe(700)
  power.stepsLeft = Infinity
  await finish(store, where)
  expect(await count('pending')).toBe(0)
  expect(await count('failed')).toBe(1_200)
})

test('no deliveries fail for an enabled endpoint', async () => {
  const { store, where, count } = await start()
  expect(await store.failInactive(where, { limit: 600, at: NOW })).toBe(0)
  expect(await count('pending')).toBe(1_200)
})

async function planOf(database: Database, query: Sql): Promise<string[]> {
  const plan = await database.read<{ detail: string }>(sql`explain query plan ${query}`)
  return plan.map(({ detail }) => detail)
}

test.each(['success', 'failed'] as const)('a page of %s deliveries reads no others', async (status) => {
  const { store, database, where, read } = await start()
  await store.listDeliveries(where, { limit: 50, offset: 0, status })
  const index = { success: 'deliveries_succeeded', failed: 'deliveries_failed' }[status]
  expect(await planOf(database, read.at(-1)!)).toEqual([expect.stringContaining(`USING INDEX ${index} `)])
})

test('counting deliveries reads none of them', async () => {
  const { store, database, where, read } = await start()
  await store.countDeliveries(where.teamId, { from: NOW, to: NOW + 1 })
  const plan = (await planOf(database, read.at(-1)!)).filter((detail) => /^(?:SEARCH|SCAN) d /.test(detail))
  expect(plan).toEqual(
    ['deliveries_succeeded', 'deliveries_failed'].map((index) =>
      expect.stringMatching(`USING COVERING INDEX ${index} .*created_at>`),
    ),
  )
})

test('with a long backlog, a write reads only the deliveries that it changes', async () => {
  const { store, database, where, written, deliver, lease } = await start()
  await deliver([where.id])
  const [leased] = await lease({ limit: 1 })
  await store.finishAttempt('one', attemptOf(leased!, { outcome: { status: 'failed' } }))
  await store.replayFailed(where, { at: NOW, limit: 5 })
  await store.failBacklog(where, { kept: 900, limit: 5, at: NOW })
  await store.forgetDeliveries(where, { before: NOW + 1, limit: 5 })
  await store.updateEndpoint(where, { isActive: false }, NOW)
  await store.emptySomeOfEndpoint(where, 5)
  for (const statement of written) {
    const plan = await planOf(database, statement)
    expect(plan.filter((detail) => /^(?:SCAN|SEARCH) deliveries .*\(team_id=\?\)$/.test(detail))).toEqual([])
    const changed = plan.filter(
      (_, index) => index === 0 && /^\s*(?:update|delete from) deliveries/.test(assemble(statement).text),
    )
    expect(changed.filter((detail) => !/ deliveries .*\(team_id=\? AND id=\?\)$/.test(detail))).toEqual([])
  }
})
