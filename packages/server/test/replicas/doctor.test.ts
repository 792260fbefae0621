import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { checkClock } from '../../src/cli/deep/clock.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { readConfig } from '../../src/program/config.ts'
import { NEWEST_SCHEMA } from '../../src/store/postgres-schema.ts'
import { startApi } from '../../src/program/node.ts'
import { readPostgresHealth } from '../../src/store/postgres-health.ts'
import { examine, installation } from '../doctor/examine.ts'
import { administer, freshDatabase } from '../support/postgres.ts'
import { temporaryFolder } from '../support/server.ts'
import { previousDatabase } from '../upgrade/previous-database.ts'
import { ownPostgres } from './own-postgres.ts'
import { startSilentProxy } from './silent-proxy.ts'

/** Few connections, and commits that a crash may lose. */
const small = ownPostgres({ max_connections: '30', superuser_reserved_connections: '3', fsync: 'off' })

const api = (url: string, further: Record<string, string> = {}) =>
  examine({ DATA_DIR: temporaryFolder(), DATABASE_URL: url, ...further }, 'api')

/** A session of another program. Closed when the test ends. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'report' })
  // The test may end it from outside.
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test('beside a running replica, everything about its database is in order', async () => {
  const url = await freshDatabase()
  const settings = { DATABASE_URL: url, SECRET_KEY: 'secret-key-of-all-programs-of-the-tests', PORT: '0' }
  const DATA_DIR = temporaryFolder()
  const running = await startApi(readConfig('api', { ...settings, DATA_DIR }), createLogger('silent', false))
  onTestFinished(() => running.close())
  const { healthy, of } = await api(url, { ...settings, MAILHATCH_URL: `http://127.0.0.1:${running.apiPort}` })
  expect(healthy).toBe(true)
  for (const check of ['database', 'commits', 'locks', 'clock']) expect(of(check)).toMatchObject({ state: 'ok' })
  for (const check of ['sync', 'disk']) expect(of(check)).toMatchObject({ state: 'skip' })
  expect(of('clock').figures).toMatchObject({ apiAheadMs: 0, databaseAheadMs: expect.any(Number) })
  expect(of('database').figures).toMatchObject({ roundTripMs: expect.any(Number), schema: NEWEST_SCHEMA })
  // Other tests use the same server, so whether enough are free is tested below.
  expect(of('connections').figures!['replicas']).toBeGreaterThanOrEqual(1)
})

test('a lock that others wait for, and a transaction that is left open, are reported with the process to end', async () => {
  const url = await freshDatabase()
  const holder = await connect(url)
  await holder.query('begin; lock table teams in access exclusive mode')
  const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
  const { pid } = rows[0]!
  const idle = async () => (await api(url)).of('locks')
  await expect.poll(idle).toMatchObject({
    state: 'warn',
    says: expect.stringContaining(`process ${pid} (report) has been idle in a transaction`),
    advice: expect.stringContaining(`pg_terminate_backend(${pid})`),
  })
  const waiting = await connect(url)
  const waited = waiting.query('select count(*) from teams')
  const blocked = async () => (await api(url)).of('locks')
  await expect.poll(blocked).toMatchObject({
    state: 'fail',
    says: expect.stringMatching(new RegExp(`has waited \\d+ s for a lock that ${pid} holds`)),
    figures: { waiting: 1 },
  })
  await holder.query('rollback')
  await waited
  expect((await api(url)).of('locks').state).toBe('ok')
})

test('a server whose commits are not durable is a failure', async () => {
  const url = await small.database()
  expect((await api(url)).of('commits')).toMatchObject({
    state: 'fail',
    says: expect.stringContaining('fsync=off'),
    advice: expect.stringContaining('Turn fsync on'),
  })
  const careless = await freshDatabase()
  const name = new URL(careless).pathname.slice(1)
  await administer(careless, `alter database ${name} set synchronous_commit = off`)
  const { code, of } = await api(careless)
  expect([code, of('commits')]).toMatchObject([
    1,
    { state: 'fail', says: expect.stringContaining('synchronous_commit=off') },
  ])
})

test('fewer free connections than one more replica needs are a warning', async () => {
  const url = await small.database()
  expect((await api(url)).of('connections')).toMatchObject({
    state: 'ok',
    figures: { max: 27, needed: 20, replicas: 0 },
  })
  await Promise.all(Array.from({ length: 10 }, () => connect(url)))
  const { state, advice, figures } = (await api(url)).of('connections')
  expect([state, figures!['free']! < 20, advice]).toEqual(['warn', true, expect.stringContaining('max_connections')])
})

test('a database of another version is a warning or a failure', async () => {
  expect((await api(await previousDatabase())).of('database')).toMatchObject({
    state: 'warn',
    says: expect.stringContaining(`schema 10, and this version needs ${NEWEST_SCHEMA}`),
  })
  const newer = await freshDatabase()
  await administer(newer, 'update schema_version set version = 99')
  expect((await api(newer)).of('database')).toMatchObject({
    state: 'fail',
    advice: expect.stringContaining('restore a backup'),
  })
})

test('a clock that differs from that of the database is a warning', async () => {
  const slow = () => Date.now() - 60_000
  const finding = await checkClock(installation({ DATABASE_URL: await freshDatabase() }, { program: 'api' }), slow)
  expect(finding).toMatchObject({
    state: 'warn',
    says: expect.stringMatching(/clock of PostgreSQL is \d+\.\d s ahead of/),
  })
})

test('a database that accepts connections and says nothing is a failure, and the other checks go on', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => void sockets.add(socket))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const { code, of, findings } = await api(`postgres://mailhatch@127.0.0.1:${port}/mailhatch`)
  expect([code, of('database').state]).toEqual([1, 'fail'])
  for (const check of ['commits', 'locks', 'connections']) expect(of(check).state).toBe('skip')
  expect(findings.at(-1)!.check).toBe('bucket')
})

test('a database that stops to respond is given up at the limit, and its connection is closed', async () => {
  const url = await freshDatabase()
  const proxy = await startSilentProxy(url)
  onTestFinished(() => proxy.close())
  // Its second statement waits for this lock.
  const holder = await connect(url)
  await holder.query('begin; lock table schema_version in access exclusive mode')
  const over = new AbortController()
  const given = readPostgresHealth(proxy.url, over.signal).then(
    () => 'a result',
    (error: unknown) => String(error),
  )
  const waiting = `select count(*)::int as count from pg_locks where not granted and relation = 'schema_version'::regclass`
  const observer = await connect(url)
  await expect.poll(async () => (await observer.query<{ count: number }>(waiting)).rows[0]!.count).toBe(1)
  proxy.silence()
  over.abort()
  expect(await given).toMatch(/does not respond|terminated/)
})
