import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgresDatabase } from '../../src/store/postgres-database.ts'
import { createSqlStore } from '../../src/store/sql-store.ts'
import { addMailbox, addTeam, messageFor } from '../../src/store/store-contract.ts'
import { SHARED_TABLES, TEAM_TABLES } from '../../src/store/team-tables.ts'
import { joinNodes } from '../support/citus.ts'
import { runDatabaseCommand } from '../support/database-command.ts'
import { emptyDatabase, freshDatabase, nodeUrls } from '../support/postgres.ts'

const TEAMS = 12

async function run(word: string, url: string) {
  const { code, stdout } = await runDatabaseCommand([word, '--json'], { DATABASE_URL: url })
  expect(code).toBe(0)
  return JSON.parse(stdout)
}

async function openStore(url: string) {
  const onError = (error: unknown) => {
    throw error
  }
  return createSqlStore(await openPostgresDatabase(url), { onError })
}

async function addTeams(url: string) {
  const store = await openStore(url)
  const mailboxes = []
  for (let number = 0; number < TEAMS; number++) {
    const mailbox = await addMailbox(store, await addTeam(store, { domain: `${number}.test` }), 'qa')
    await store.addMessage(mailbox, messageFor(mailbox))
    mailboxes.push(mailbox)
  }
  await store.close()
  return mailboxes
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test('a database with mail is distributed, and once', async () => {
  const url = await joinNodes(nodeUrls(), new URL(await emptyDatabase()).pathname.slice(1))
  await run('migrate', url)
  const mailboxes = await addTeams(url)
  expect(await run('distribute', url)).toMatchObject({ replicated: SHARED_TABLES, distributed: TEAM_TABLES })
  expect(await run('distribute', url)).toMatchObject({ replicated: [], distributed: [] })

  const { counts, cluster } = await run('status', url)
  expect(counts).toMatchObject({ teams: TEAMS, mailboxes: TEAMS, messages: TEAMS })
  expect(cluster).toMatchObject({
    nodes: nodeUrls()
      .slice(1)
      .map((node) => new URL(node).host)
      .toSorted()
      .map((name) => ({ name, bytes: expect.any(Number) })),
    largestTeam: { messages: 1 },
  })
  const store = await openStore(url)
  for (const mailbox of mailboxes) {
    expect(await store.newestPosition(mailbox.teamId)).toBe(1)
    expect(await store.addMessage(mailbox, messageFor(mailbox))).toBe(2)
  }
  await store.close()
})

test.each(['select', 'begin'])(
  'messages are stored on the node of their team, in one call, after %s',
  async (before) => {
    const url = await freshDatabase()
    const mailboxes = await addTeams(url)
    const client = await connect(url)
    const used = new Set<string>()
    for (const { teamId } of mailboxes) {
      const { rows: homes } = await client.query(
        `select nodename || ' port=' || nodeport as home from citus_shards
       where shardid = get_shard_id_for_distribution_column('team_state', $1::text)`,
        [teamId],
      )
      await client.query(before)
      const { rows: plan } = await client.query(
        `explain select stored from store_messages('${teamId}', '[]') order by place`,
      )
      await client.query('commit')
      expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toMatch(
        new RegExp(`Task Count: 1\n[^]*Node: host=${homes[0].home} [^]*Function Scan on store_messages`),
      )
      used.add(homes[0].home)
    }
    expect(used.size).toBe(nodeUrls().length - 1)
  },
)
