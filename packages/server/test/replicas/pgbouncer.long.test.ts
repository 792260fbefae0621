import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { run, sentenceOf } from '../support/program.ts'
import { SECRET_KEY } from '../support/journey-database.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { temporaryFolder } from '../support/server.ts'
import { ownPostgres } from './own-postgres.ts'
import { startReplicas } from './replicas.ts'
import { measureWakes } from './wake-times.ts'

const postgres = ownPostgres()

/** Fewer connections than the replicas have, so that one session serves many of them. */
const POOL_BY_TRANSACTION = { pool_mode: 'transaction', default_pool_size: '4' }
/** One connection each, and a few more. */
const POOL_BY_SESSION = { pool_mode: 'session', default_pool_size: '60' }
/** The PostgreSQL of the tests needs no password. */
const WITHOUT_PASSWORD = { auth_type: 'trust' }

const MODES = {
  session: async (databaseUrl: string) => {
    const { url } = await startPgBouncer(databaseUrl, { ...POOL_BY_SESSION, ...WITHOUT_PASSWORD })
    return { DATABASE_URL: url }
  },
  transaction: async (databaseUrl: string) => {
    const { url } = await startPgBouncer(databaseUrl, { ...POOL_BY_TRANSACTION, ...WITHOUT_PASSWORD })
    return { DATABASE_URL: url, DATABASE_DIRECT_URL: databaseUrl }
  },
}

async function connectTo(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

const LOCK_HOLDERS = `
  select pid from pg_locks
  where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`

test.each(['session', 'transaction'] as const)('replicas work through PgBouncer with pooling by %s', async (mode) => {
  const databaseUrl = await postgres.database()
  const environment = { ...(await MODES[mode](databaseUrl)), RETENTION_SWEEP_SECONDS: '1' }
  const replicas = await startReplicas(environment.DATABASE_URL, { count: 2, environment })
  const { all, urls, get, announce } = replicas
  const [first, second] = urls as [string, string]

  // Queries of many kinds at once, over few sessions.
  const posts = Array.from({ length: 1_000 }, (_, number) =>
    announce(urls[number % 2]!, { mailbox: 'qa', tag: `t${number % 7}`, subject: `Code ${number}` }),
  )
  const reads = Array.from({ length: 300 }, (_, number) =>
    get(
      urls[number % 2]!,
      ['/v1/me', '/v1/messages', '/v1/messages?tag=t3', '/v1/messages?q=code', '/v1/mailboxes'][number % 5]!,
    ),
  )
  const statuses = (await Promise.all([...posts, ...reads])).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  for (const url of urls) expect(await get(url, '/v1/me')).toMatchObject({ body: { data: { messageCount: 1_000 } } })

  const times = await measureWakes({
    count: 30,
    hold: (tag) => get(first, `/v1/messages/latest?tag=${tag}&wait=30`),
    announce: (tag) => announce(second, { tag, mailbox: 'qa' }),
    isHeld: () => get(first, '/v1/me'),
  })
  console.info(`woken across replicas, by ${mode}: p50 ${times.p50.toFixed(1)} ms, max ${times.max.toFixed(1)} ms`)
  // Far below the second after which replicas poll: the notification woke them.
  expect(times.p50).toBeLessThan(500)

  // One replica sweeps. When it is killed another one does, and when all have ended no lock is left.
  const client = await connectTo(databaseUrl)
  const holders = async () => (await client.query<{ pid: number }>(LOCK_HOLDERS)).rows.map(({ pid }) => pid)
  await vi.waitFor(async () => expect(await holders()).toHaveLength(1), 10_000)
  await all[0]!.kill()
  await vi.waitFor(async () => expect(await holders()).toHaveLength(1), 10_000)
  expect((await announce(second)).status).toBe(200)
  await all[1]!.kill()
  await vi.waitFor(async () => expect(await holders()).toEqual([]), 10_000)
})

test('time limits apply per transaction too, and do not stay on the session', async () => {
  const databaseUrl = await postgres.database()
  const environment = await MODES.transaction(databaseUrl)
  const { urls, announce } = await startReplicas(environment.DATABASE_URL, { count: 1, environment })
  const client = await connectTo(databaseUrl)
  await client.query('begin; select 1 from team_state for update')
  expect(await announce(urls[0]!)).toMatchObject({ status: 503, body: { code: 'database_unavailable' } })
  await client.query('rollback')
  expect(await announce(urls[0]!)).toMatchObject({ status: 200 })
  const other = await connectTo(environment.DATABASE_URL)
  expect((await other.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '0' }])
})

test('transaction pooling without the direct URL is refused at the start with what to do', async () => {
  const { DATABASE_URL } = await MODES.transaction(await postgres.database())
  const environment = { DATABASE_URL, SECRET_KEY, DATA_DIR: temporaryFolder(), PORT: '0' }
  const ended = await run(['api'], environment)
  expect(sentenceOf(ended)).toMatch(/DATABASE_URL leads through a pooler .* Set DATABASE_DIRECT_URL/)
})
