import pg from 'pg'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { afterTheFile } from '../support/file-life.ts'
import { administer } from '../support/postgres.ts'
import { ownPostgres } from './own-postgres.ts'
import { startReplicas, type Replicas } from './replicas.ts'

const postgres = ownPostgres()

/** One replica for all tests, each of which leaves it with a database that works. */
let url: string
let replicas: Replicas
const whenOver = afterTheFile()
beforeAll(async () => {
  url = await postgres.database()
  replicas = await startReplicas(url, { count: 1, whenOver })
})

/** The URL of another database on the same server, whose sessions are not affected. */
function administrationOf(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.pathname = '/postgres'
  return url.href
}

/** The ways in which the sessions of a server stop accepting writes, and accept them again. */
const WAYS = {
  'sessions that are open become read-only': {
    async begin(url: string) {
      await administer(administrationOf(url), 'alter system set default_transaction_read_only = on')
      await administer(administrationOf(url), 'select pg_reload_conf()')
    },
    async end(url: string) {
      await administer(administrationOf(url), 'alter system reset default_transaction_read_only')
      await administer(administrationOf(url), 'select pg_reload_conf()')
    },
  },
  // As after a failover by address: sessions opened meanwhile stay read-only when the address is right again.
  'the address leads to a read-only server for a while': {
    async begin(url: string) {
      const name = new URL(url).pathname.slice(1)
      await administer(administrationOf(url), `alter database ${name} set default_transaction_read_only = on`)
      await administer(
        administrationOf(url),
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      )
    },
    async end(url: string) {
      const name = new URL(url).pathname.slice(1)
      await administer(administrationOf(url), `alter database ${name} reset default_transaction_read_only`)
    },
  },
}

const AWAY = { status: 503, headers: { 'retry-after': '1' }, body: { code: 'database_unavailable' } }

async function announceMany({ urls, announce }: Replicas, count: number): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => announce(urls[0]!)))
  return answers.map(({ status }) => status)
}

test.each(Object.keys(WAYS) as (keyof typeof WAYS)[])(
  'while %s, the response is 503; afterwards everything works at once',
  async (name) => {
    const [api] = replicas.urls as [string]
    // So that both pools have connections to lose.
    expect(new Set(await announceMany(replicas, 40))).toEqual(new Set([200]))
    expect(await replicas.get(api, '/ready')).toMatchObject({ status: 200 })

    onTestFinished(() => WAYS[name].end(url))
    await WAYS[name].begin(url)
    const troubles = ['the database is read-only']
    await expect.poll(() => replicas.get(api, '/ready')).toMatchObject({ status: 503, body: { troubles } })
    await expect.poll(() => replicas.announce(api)).toMatchObject(AWAY)
    // Reads from such a server may be outdated.
    await expect.poll(() => replicas.get(api, '/v1/me')).toMatchObject(AWAY)
    expect(await replicas.get(api, '/health')).toMatchObject({ status: 200 })
    expect(new Set(await announceMany(replicas, 20))).toEqual(new Set([503]))

    await WAYS[name].end(url)
    await expect.poll(() => replicas.get(api, '/ready')).toMatchObject({ status: 200 })
    await expect.poll(() => replicas.announce(api)).toMatchObject({ status: 200 })
    expect(new Set(await announceMany(replicas, 200))).toEqual(new Set([200]))
    expect(await replicas.get(api, '/v1/me')).toMatchObject({ status: 200 })
  },
)

/** Errors of a server that runs but cannot do its work. */
const UNAVAILABLE = ['25006', '40001', '53000', '53200', '53300', '53400', '57P01', '57P04', '57014', '58030']
const BUGS = ['P0001', '23514', '42P01', 'XX000']

test('a server that cannot do its work is reported as unavailable, not as a bug', async () => {
  const { urls, announce } = replicas
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(async () => {
    await client.query('drop trigger if exists fail on messages')
    await client.end()
  })
  const failWith = (code: string) =>
    client.query(`
      create or replace function fail() returns trigger language plpgsql as $$
        begin raise exception using errcode = '${code}', message = 'made for a test'; end $$;
      create or replace trigger fail before insert on messages for each row execute function fail()`)
  for (const code of UNAVAILABLE) {
    await failWith(code)
    expect({ code, ...(await announce(urls[0]!)) }).toMatchObject({ code, ...AWAY })
  }
  await failWith('53100')
  expect(await announce(urls[0]!)).toMatchObject({ status: 507, body: { code: 'storage_full' } })
  for (const code of BUGS) {
    await failWith(code)
    expect({ code, ...(await announce(urls[0]!)) }).toMatchObject({ code, status: 500 })
  }
  await client.query('drop trigger fail on messages')
  expect(await announce(urls[0]!)).toMatchObject({ status: 200 })
})
