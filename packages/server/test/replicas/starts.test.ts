import { readdirSync } from 'node:fs'
import { Mailhatch } from '@mailhatch/sdk'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { Running } from '../../src/program/node.ts'
import { openEvents } from '../support/event-stream.ts'
import { API_KEY, spawnServer } from '../support/child-server.ts'
import { SECRET_KEY } from '../support/journey-database.ts'
import { emptyDatabase, freshDatabase } from '../support/postgres.ts'
import { serveIn, temporaryFolder } from '../support/server.ts'
import { SmtpClient } from '../support/smtp-client.ts'
import { startReplicas } from './replicas.ts'

async function countIn(databaseUrl: string, from: string): Promise<number> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    const { rows } = await client.query<{ count: string }>(`select count(*) from ${from}`)
    return Number(rows[0]!.count)
  } finally {
    await client.end()
  }
}

/** Three concurrent all-in-one programs on one empty database. They share nothing else, although one process runs them. */
async function startTogether(more: Record<string, string> = {}) {
  const databaseUrl = await emptyDatabase()
  const folders = Array.from({ length: 3 }, () => temporaryFolder())
  const settings = {
    MAILHATCH_DATABASE_URL: databaseUrl,
    MAILHATCH_SECRET_KEY: SECRET_KEY,
    BOOTSTRAP_API_KEY: API_KEY,
    ...more,
  }
  const servers = await Promise.all(folders.map((folder) => serveIn(folder, settings)))
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.close()))
  })
  return { databaseUrl, folders, servers }
}

const clientOf = ({ apiPort }: Running) => new Mailhatch({ url: `http://127.0.0.1:${apiPort}`, apiKey: API_KEY })

test.each([
  ['a domain of its own', {}],
  ['the shared domain', { BOOTSTRAP_DOMAIN: '' }],
])('three all-in-one programs that start at once create one first team, on %s', async (_name, more) => {
  const { databaseUrl, folders, servers } = await startTogether(more)
  expect(await countIn(databaseUrl, 'teams where is_bootstrap = 1')).toBe(1)
  expect(await countIn(databaseUrl, 'teams')).toBe(1)
  expect(await countIn(databaseUrl, 'api_keys')).toBe(1)
  for (const server of servers) await clientOf(server).me()
  // Only the program that created the key has it in plain text, and its file.
  expect(servers.filter(({ firstStart }) => firstStart !== null)).toHaveLength(1)
  expect(folders.filter((folder) => readdirSync(folder).includes('api-key'))).toHaveLength(1)
})

test('mail accepted by one all-in-one program is read from another', async () => {
  const { servers } = await startTogether()
  const client = await SmtpClient.connect(servers[0]!.smtpPort!)
  const waiting = clientOf(servers[1]!).messages.waitFor({ tag: 'hello' })
  const raw = Buffer.from('Subject: across\r\n\r\nhello\r\n')
  expect(await client.send({ to: 'qa+hello@mailhatch.test', raw })).toMatch(/^250 /)
  client.close()
  expect((await waiting).subject).toBe('across')
})

test('API programs that start at once on an empty database create no team and no files', async () => {
  const environment = { DATABASE_URL: await emptyDatabase() }
  const folders = [temporaryFolder(), temporaryFolder()]
  const starting = folders.map((folder) =>
    spawnServer({ program: 'api', environment: { ...environment, DATA_DIR: folder } }),
  )
  await Promise.all(starting.map(({ ready }) => ready))
  expect(await countIn(environment.DATABASE_URL, 'teams')).toBe(0)
  expect(folders.map((folder) => readdirSync(folder))).toEqual([[], []])
})

test('a replica that stops ends its held requests and leaves no connection open', async () => {
  const databaseUrl = await freshDatabase()
  const { all, urls, key, get } = await startReplicas(databaseUrl, { count: 1 })
  const waiting = get(urls[0]!, '/v1/messages/latest?tag=never&wait=60')
  const stream = await openEvents(`${urls[0]}/v1/messages/stream`, { key })
  await get(urls[0]!, '/v1/me')
  expect(await all[0]!.stop()).toBe(0)
  expect(await waiting).toMatchObject({ status: 503, body: { code: 'shutting_down' } })
  expect(await stream.closed).toBe('ended')
  const ours = `pg_stat_activity where datname = current_database() and application_name like 'mailhatch%'`
  await expect.poll(() => countIn(databaseUrl, ours)).toBe(0)
})

const EXPIRED = 60
const YOUNG = 10

test('expired messages are deleted once while three replicas sweep', async () => {
  const databaseUrl = await freshDatabase()
  const { urls, get, announce } = await startReplicas(databaseUrl, { environment: { RETENTION_SWEEP_SECONDS: '1' } })
  const client = new pg.Client(databaseUrl)
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(`update teams set plan = 'starter'`)
  const receivedAt = new Date(Date.now() - 20 * 86_400_000).toISOString()
  const posts = Array.from({ length: EXPIRED + YOUNG }, (_, number) =>
    announce(urls[number % 3]!, { mailbox: 'qa', ...(number < EXPIRED ? { receivedAt } : {}) }),
  )
  expect((await Promise.all(posts)).every(({ status }) => status === 200)).toBe(true)
  await expect.poll(() => countIn(databaseUrl, 'messages')).toBe(YOUNG)
  expect(await countIn(databaseUrl, 'removed_messages')).toBe(EXPIRED)
  for (const url of urls) expect(await get(url, '/v1/me')).toMatchObject({ body: { data: { messageCount: YOUNG } } })
  // One of the three sweeps.
  expect(
    await countIn(
      databaseUrl,
      `pg_locks where locktype = 'advisory' and database = (
    select oid from pg_database where datname = current_database())`,
    ),
  ).toBe(1)
})
