import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { SHARED_TABLES, TEAM_TABLES } from '../src/store/team-tables.ts'
import { emptyTarget, migrate } from './support/copy-journey.ts'
import { startDatabaseCommand } from './support/database-command.ts'
import { LIKE_CITUS } from './support/like-citus.ts'
import { startPostgres, type PostgresServer } from './support/postgres-server.ts'
import { temporaryFolder } from './support/server.ts'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.remove())

const run = (word: string, environment: Record<string, string>) =>
  startDatabaseCommand([word, '--json'], environment).ended

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test('what cannot be distributed is refused, and the refusal says what to do', async () => {
  const url = await emptyTarget(postgres)
  expect(await run('distribute', { DATABASE_URL: url })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Run: mailhatch db migrate'),
  })
  await migrate(url)
  expect(await run('distribute', { DATABASE_URL: url })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /does not have the extension Citus, so nothing was changed\. Install Citus 13 or later on every node, add citus to shared_preload_libraries, restart PostgreSQL, and run this command again\./,
    ),
  })
  expect(await run('distribute', { DATA_DIR: temporaryFolder() })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Only PostgreSQL with Citus can be distributed: set DATABASE_URL.'),
  })
})

test('a finish that was interrupted comes before the distribution', async () => {
  const url = await emptyTarget(postgres)
  await migrate(url)
  const client = await connect(url)
  await client.query(LIKE_CITUS)
  // As the large step of the finish leaves it.
  await client.query('alter table schema_version add column part bigint not null default 1')
  expect(await run('distribute', { DATABASE_URL: url })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/was interrupted\. Run: mailhatch db migrate --finish/),
  })
  expect((await client.query('select from calls')).rows).toEqual([])
  expect(await startDatabaseCommand(['migrate', '--finish'], { DATABASE_URL: url }).ended).toMatchObject({ code: 0 })
  expect(await run('distribute', { DATABASE_URL: url })).toMatchObject({ code: 0 })
})

test('tables are distributed after those that they refer to, and once', async () => {
  const url = await emptyTarget(postgres)
  await migrate(url)
  const client = await connect(url)
  await client.query(LIKE_CITUS)
  await client.query(`
    insert into teams (id, name, plan, created_at) values ('a', 'Small', 'pro', 1), ('b', 'Large', 'pro', 1);
    insert into team_state (team_id, message_count) values ('a', 5), ('b', 7)`)

  // Interrupted by a failure at this table.
  await client.query(`insert into refused values ('read_marks')`)
  expect(await run('distribute', { DATABASE_URL: url })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/distributed message_contents: 16 of 28\n[^]*refused/),
  })
  await client.query('delete from refused')
  const { code, stdout } = await run('distribute', { DATABASE_URL: url })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ replicated: [], distributed: TEAM_TABLES.slice(4) })
  expect((await client.query('select name, type, colocated from calls order by number')).rows).toEqual([
    ...SHARED_TABLES.map((name) => ({ name, type: 'reference', colocated: null })),
    ...TEAM_TABLES.map((name, index) => ({
      name,
      type: 'distributed',
      colocated: index === 0 ? 'none' : 'team_state',
    })),
  ])
  const again = await run('distribute', { DATABASE_URL: url })
  expect(JSON.parse(again.stdout)).toMatchObject({ replicated: [], distributed: [] })

  const status = await run('status', { DATABASE_URL: url })
  expect(JSON.parse(status.stdout)).toMatchObject({
    cluster: {
      nodes: [
        { name: 'one:5432', bytes: 100 * TEAM_TABLES.length },
        { name: 'two:5432', bytes: 200 * TEAM_TABLES.length },
      ],
      largestTeam: { id: 'b', name: 'Large', messages: 7 },
    },
  })
})
