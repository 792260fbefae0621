import pg from 'pg'
import type { Database } from './database.ts'
import { connectionConfig, isConnectionLost, openConnections, retrying } from './postgres-connections.ts'
import { POSTGRES } from './postgres-dialect.ts'
import { migratePostgres } from './postgres-migrations.ts'
import { toQuery } from './postgres-statements.ts'
import { createPostgresWriter } from './postgres-writer.ts'
import { sql, type Sql } from './sql.ts'

/**
 * Together at most 20 with the one that listens: apart, so that those who read never wait behind those who wait for
 * another's commit.
 */
const READING_CONNECTIONS = 11
const WRITING_CONNECTIONS = 8

/** `lockTeam` is for tests that show what happens without it. */
export type PostgresOptions = { lockTeam?: (teamId: string) => Sql }

/** Refuses a server that may forget what it acknowledged; brings the schema up to date. */
export async function openPostgresDatabase(
  url: string,
  { lockTeam = lockRow }: PostgresOptions = {},
): Promise<Database> {
  await prepare(url)
  const readers = openConnections(url, READING_CONNECTIONS)
  const writers = openConnections(url, WRITING_CONNECTIONS)
  const writer = createPostgresWriter(writers, lockTeam)

  async function read<Row>(query: Sql): Promise<Row[]> {
    const { rows } = await readers.use((client) => client.query(toQuery(query)), { isRepeatable: true })
    // Whoever writes the query names its columns, and so knows its rows.
    return rows as Row[]
  }

  return {
    dialect: POSTGRES,
    read,
    write: (...statements) => writer.write(statements),
    writeFor: (teamId, ...statements) => writer.writeFor(teamId, statements),
    version: () => null,
    async close() {
      await writer.close()
      await Promise.all([readers.close(), writers.close()])
    },
  }
}

/** Not the key: what refers to the team may go on. */
function lockRow(teamId: string): Sql {
  return sql`select 1 from teams where id = ${teamId} for no key update`
}

async function prepare(url: string): Promise<void> {
  const client = await retrying(() => connect(url), isConnectionLost).catch((error: unknown) => {
    const { host } = new URL(url)
    throw new Error(`PostgreSQL at ${host} cannot be used: ${String(error)}. Check DATABASE_URL.`, { cause: error })
  })
  try {
    await checkServer(client)
    await migratePostgres(client)
  } finally {
    await client.end()
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(connectionConfig(url))
  client.on('error', () => {})
  await client.connect()
  return client
}

/** What is committed must be on the disk, and text must be able to hold any mail. */
async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string }>(`
    select name, setting from pg_settings
    where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
       or name = 'server_encoding' and setting <> 'UTF8'`)
  if (rows.length === 0) return
  const found = rows.map(({ name, setting }) => `${name}=${setting}`).join(', ')
  throw new Error(
    `PostgreSQL runs with ${found}: mail that was accepted could be lost in a crash, or not be stored as it is. ` +
      'Turn fsync, full_page_writes and synchronous_commit on, use a database with the encoding UTF8, and start again.',
  )
}
