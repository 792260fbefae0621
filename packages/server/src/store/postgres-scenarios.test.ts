import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../../test/support/postgres.ts'
import { FIRST_STATE } from '../domain/scenario.ts'
import { openPostgresDatabase } from './postgres-database.ts'
import { scenarioFor } from './scenario-contract.ts'
import { createSqlStore } from './sql-store.ts'
import { addTeam, NOW } from './store-contract.ts'

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test('scenarios are saved although others keep one of them locked, and so is that one when it is free', async () => {
  const url = await freshDatabase()
  const store = createSqlStore(await openPostgresDatabase(url), {
    onError: (error) => expect.unreachable(String(error)),
  })
  onTestFinished(() => store.close())
  const team = await addTeam(store)
  const wishes = ['a', 'b', 'c'].map((tag) => scenarioFor(team.id, { tag }))
  for (const wish of wishes) await store.addScenario(wish, wishes.length)
  const [first, , last] = wishes.map(({ id }) => id).toSorted()
  const other = await connect(url)
  await other.query('begin')
  await other.query('select from scenarios where id = $1 for update', [first])

  const state = { ...FIRST_STATE, mails: 1 }
  const saving = store.saveScriptStates(
    team.id,
    wishes.toReversed().map(({ id }) => ({ id, version: 0, state })),
  )
  const isWaiting = async () => {
    const { rows } = await other.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return rows.length > 0
  }
  await expect.poll(isWaiting).toBe(true)
  // It waits for the first one before it locks another, so it cannot block others that do the same.
  await (await connect(url)).query('select from scenarios where id = $1 for update nowait', [last])

  const savedIds = async () => {
    const found = await store.listScenarios(team.id, NOW)
    return found.filter(({ version }) => version === 1).map(({ id }) => id)
  }
  const unlocked = wishes.map(({ id }) => id).filter((id) => id !== first)
  await expect.poll(async () => (await savedIds()).toSorted(), { timeout: 10_000 }).toEqual(unlocked.toSorted())
  await other.query('rollback')
  expect(await saving).toEqual([true, true, true])
})
