import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgresDatabase } from '../../src/store/postgres-database.ts'
import { sql } from '../../src/store/sql.ts'
import { runDatabaseCommand } from '../support/database-command.ts'
import { growInstall } from '../support/grown-install.ts'
import { administer, emptyDatabase, freshDatabase } from '../support/postgres.ts'
import { temporaryFolder } from '../support/server.ts'
import { joinHosts, PASSWORD, startTwoHosts } from './host-list.ts'
import { ownPostgres } from './own-postgres.ts'
import { startReplicas, type Replicas } from './replicas.ts'

const other = ownPostgres()

/** Enough at once for several connections of each pool. */
async function useMany({ urls, get, announce }: Replicas): Promise<Set<number>> {
  const [api] = urls as [string]
  const answers = await Promise.all(Array.from({ length: 20 }, () => [announce(api), get(api, '/v1/messages')]).flat())
  return new Set(answers.map(({ status }) => status))
}

/** Ends all connections to the database at its server, so that new ones are opened. */
function endSessions(url: string): Promise<void> {
  return administer(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  )
}

test('connections go to all hosts, a host that is down is replaced by the others, and is used again when it is back', async () => {
  const databaseUrl = await freshDatabase()
  const { url, hosts } = await startTwoHosts(databaseUrl)
  const replicas = await startReplicas(url, { count: 1 })
  const { get, announce, all } = replicas
  const [api] = replicas.urls as [string]
  const ready = () => get(api, '/ready')
  const connections = () => hosts.map((host) => host.connections())

  expect(await useMany(replicas)).toEqual(new Set([200]))
  // One at the first host is for notifications.
  expect(Math.min(...connections())).toBeGreaterThan(1)
  expect(all[0]!.complaints()).toBe('')

  for (const [index, down] of hosts.entries()) {
    await down.close()
    await expect.poll(() => announce(api)).toMatchObject({ status: 200 })
    await expect.poll(ready).toMatchObject({ status: 200 })
    expect(await useMany(replicas)).toEqual(new Set([200]))
    const { body } = await get(api, '/v1/messages/latest?wait=5')
    expect(body).toMatchObject({ data: { subject: expect.any(String) } })
    expect(down.connections()).toBe(0)
    expect(hosts[1 - index]!.connections()).toBeGreaterThan(0)
    const { host } = new URL(down.url)
    expect(all[0]!.complaints()).toMatch(new RegExp(`${host}: connect ECONNREFUSED.*a database host cannot be used`))

    await down.reopen()
    await expect
      .poll(async () => {
        await endSessions(databaseUrl)
        await useMany(replicas)
        return Math.min(...connections())
      })
      .toBeGreaterThan(1)
    await expect.poll(() => useMany(replicas)).toEqual(new Set([200]))
  }

  await Promise.all(hosts.map((host) => host.close()))
  const away = { status: 503, headers: { 'retry-after': '1' }, body: { code: 'database_unavailable' } }
  expect(await announce(api)).toMatchObject(away)
  expect(await get(api, '/v1/me')).toMatchObject(away)
  expect(await ready()).toMatchObject({ status: 503, body: { troubles: ['the database cannot be read'] } })
  await Promise.all(hosts.map((host) => host.reopen()))
  await expect.poll(ready).toMatchObject({ status: 200 })
  await expect.poll(() => useMany(replicas)).toEqual(new Set([200]))
  expect(all[0]!.complaints()).not.toContain(PASSWORD)
})

test('a connection tries every host, however many are down', async () => {
  const databaseUrl = await freshDatabase()
  // Nothing listens on these ports. There are more of them than a statement has retries.
  const dead = [1, 2, 3, 4, 5, 6].map((port) => `postgres://postgres@127.0.0.1:${port}/mail`)
  await expect(openPostgresDatabase(joinHosts(dead))).rejects.toThrow('127.0.0.1:6: connect ECONNREFUSED')
  const failed: string[] = []
  const url = joinHosts([...dead, databaseUrl]).replace('/mail', new URL(databaseUrl).pathname)
  const database = await openPostgresDatabase(url, { onHostFailure: ({ message }) => void failed.push(message) })
  await database.check()
  expect(failed).toEqual(dead.map((one) => expect.stringContaining(`${new URL(one).host}: connect ECONNREFUSED`)))
  await database.close()
})

test('a host that accepts connections and does not respond is replaced by the others', async () => {
  const databaseUrl = await freshDatabase()
  const { url, hosts } = await startTwoHosts(databaseUrl)
  const failed: string[] = []
  const database = await openPostgresDatabase(url, { onHostFailure: ({ message }) => void failed.push(message) })
  const checkMany = () => Promise.all(Array.from({ length: 8 }, () => database.check()))
  await checkMany()
  expect([failed, hosts[1].connections() > 1]).toEqual([[], true])
  await hosts[1].close()
  const accepted: Socket[] = []
  const { port, host } = new URL(hosts[1].url)
  const silent = createServer((socket) => void accepted.push(socket)).listen(Number(port), '127.0.0.1')
  onTestFinished(() => {
    for (const socket of accepted) socket.destroy()
    silent.close()
  })
  await once(silent, 'listening')
  const failedAfterMany = async () => {
    await endSessions(databaseUrl)
    await checkMany()
    return failed
  }
  await expect.poll(failedAfterMany).toEqual([`${host}: timeout expired`])
  await database.close()
})

test('with all hosts down, the error names each, without the password', async () => {
  const { url, hosts } = await startTwoHosts(await freshDatabase())
  const database = await openPostgresDatabase(url)
  await database.check()
  await Promise.all(hosts.map((host) => host.close()))
  const names = hosts.map((host) => new URL(host.url).host)
  const each = new RegExp(names.map((name) => `${name}: connect ECONNREFUSED [^;]*`).join('; '))
  const failure = await database.check().catch((error: unknown) => error)
  expect(failure).toMatchObject({ name: 'DatabaseUnavailable', message: expect.stringMatching(each) })
  const start = await openPostgresDatabase(url).then(() => 'started', String)
  expect(start).toMatch(
    new RegExp(`PostgreSQL at ${names.join(',')} cannot be used: .*${each.source}Check DATABASE_URL`),
  )
  expect(`${String(failure)} ${start}`).not.toContain(PASSWORD)
  const { code, stderr } = await runDatabaseCommand(['status'], { DATABASE_URL: url })
  expect([code, stderr]).toEqual([1, expect.stringMatching(each)])
  expect(stderr).not.toContain(PASSWORD)
  await database.close()
})

test('without its first host a program starts if there is nothing to migrate', async () => {
  const { url, hosts } = await startTwoHosts(await emptyDatabase())
  await hosts[0].close()
  await expect(openPostgresDatabase(url)).rejects.toThrow(
    `${new URL(hosts[0].url).host} is unreachable. Only the first host migrates.`,
  )
  await hosts[0].reopen()
  const migrated = await runDatabaseCommand(['migrate'], { DATABASE_URL: url })
  expect(JSON.parse(migrated.stdout)).toMatchObject({ from: 0 })
  await hosts[0].close()
  const database = await openPostgresDatabase(url)
  expect(await database.read(sql`select count(*) as teams from teams`)).toEqual([{ teams: 0 }])
  await database.close()
})

test('commands on the database take several hosts, and show them without the password', async () => {
  const { url, hosts } = await startTwoHosts(await freshDatabase())
  const names = hosts.map((host) => new URL(host.url).host).join(',')
  const status = async () => (await runDatabaseCommand(['status'], { DATABASE_URL: url })).stdout
  const shown = { database: `postgres://postgres@${names}${new URL(hosts[0].url).pathname}`, counts: { teams: 0 } }
  expect(JSON.parse(await status())).toMatchObject(shown)
  await hosts[0].close()
  expect(JSON.parse(await status())).toMatchObject(shown)
  expect(await status()).not.toContain(PASSWORD)
})

test('an installation is copied to several hosts', async () => {
  const { url } = await startTwoHosts(await emptyDatabase())
  const dataDir = temporaryFolder()
  await growInstall(dataDir, 10)
  const { code, stderr } = await runDatabaseCommand(['copy', '--from', `sqlite:${dataDir}`, '--to', url])
  expect([code, stderr]).toEqual([0, expect.not.stringContaining(PASSWORD)])
  const { stdout } = await runDatabaseCommand(['status'], { DATABASE_URL: url })
  expect(JSON.parse(stdout)).toMatchObject({ counts: { teams: 2, messages: 13 } })
})

test('a host that refuses writes is refused at start, and named', async () => {
  const frozen = await other.database()
  const name = new URL(frozen).pathname.slice(1)
  const shared = new URL(await emptyDatabase())
  await administer(shared.href, `create database ${name}`)
  shared.pathname = name
  const url = joinHosts([shared.href, frozen])
  await (await openPostgresDatabase(url)).close()
  await administer(frozen, `alter database ${name} set default_transaction_read_only = on`)
  await expect(openPostgresDatabase(url)).rejects.toThrow(`${new URL(frozen).host}: PostgreSQL is read-only`)
})
