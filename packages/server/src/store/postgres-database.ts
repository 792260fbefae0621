import type { Client } from 'pg'
import { createKeyedSemaphore } from '../domain/semaphore.ts'
import type { Database } from './database.ts'
import { createWritable, openConnections, retrying, type Lent, type Way } from './postgres-connections.ts'
import { POSTGRES } from './postgres-dialect.ts'
import { isConnectionLost } from './postgres-errors.ts'
import { migratePostgres } from './postgres-migrations.ts'
import { checkServer, refuseSharedSessions } from './postgres-server-check.ts'
import { BEGIN_LIMITED, COMMIT, connectAlone, refuseReadOnly, send } from './postgres-session.ts'
import { createPostgresWriter } from './postgres-writer.ts'
import { sql, type Sql } from './sql.ts'

/**
 * Together at most 20 with the one that listens: apart, so that those who read never wait behind those who wait for
 * another's commit.
 */
const READING_CONNECTIONS = 11
const WRITING_CONNECTIONS = 8
/** Of those that read: long searches leave most of them to short questions. */
const SEARCHING_CONNECTIONS = 4

export type PostgresOptions = {
  /** Past the pooler, where `url` leads through one that gives each transaction another connection. */
  directUrl?: string | null
  /** For tests that show what happens without it. */
  lockTeam?: (teamId: string) => Sql
}

/** Refuses a server that may forget what it acknowledged; brings the schema up to date. */
export async function openPostgresDatabase(
  url: string,
  { directUrl = null, lockTeam = lockRow }: PostgresOptions = {},
): Promise<Database> {
  await prepare(directUrl ? { url: directUrl, variable: 'DATABASE_DIRECT_URL' } : { url, variable: 'DATABASE_URL' })
  const way: Way = { url, isPooled: directUrl !== null }
  const writable = createWritable()
  const readers = openConnections(way, READING_CONNECTIONS, writable)
  const writers = openConnections(way, WRITING_CONNECTIONS, writable)
  const writer = createPostgresWriter(writers, lockTeam)
  const ask = way.isPooled ? askInTransaction : askAlone

  async function read<Row>(query: Sql): Promise<Row[]> {
    const rows = await readers.use((lent) => ask(lent, query), { isRepeatable: true })
    // Whoever writes the query names its columns, and so knows its rows.
    return rows as Row[]
  }

  return {
    dialect: POSTGRES,
    read,
    holdsUs: false,
    inStep: createKeyedSemaphore(SEARCHING_CONNECTIONS),
    write: (...statements) => writer.write(statements),
    writeFor: (teamId, ...statements) => writer.writeFor(teamId, statements),
    version: () => null,
    check: readers.check,
    async close() {
      await writer.close()
      await Promise.all([readers.close(), writers.close()])
    },
  }
}

async function askAlone({ client, toQuery }: Lent, query: Sql): Promise<unknown[]> {
  return (await client.query(toQuery(query))).rows
}

/** In a transaction, which brings its limits along and says whether the server takes writes. */
async function askInTransaction({ client, toQuery }: Lent, query: Sql): Promise<unknown[]> {
  const [begun, answer, committed] = await send(client, [BEGIN_LIMITED, toQuery(query), COMMIT])
  if (begun!.status === 'rejected') throw begun!.reason
  if (answer!.status === 'rejected') throw answer!.reason
  if (committed!.status === 'rejected') throw committed!.reason
  refuseReadOnly(begun!.value)
  return answer!.value.rows
}

/** Not the key: what refers to the team may go on. */
function lockRow(teamId: string): Sql {
  return sql`select 1 from teams where id = ${teamId} for no key update`
}

async function prepare(place: { url: string; variable: string }): Promise<void> {
  const client = await firstConnection(place)
  try {
    await checkServer(client)
    await refuseSharedSessions(client, place)
    await migratePostgres(client)
  } finally {
    await client.end()
  }
}

async function firstConnection({ url, variable }: { url: string; variable: string }): Promise<Client> {
  return retrying(() => connectAlone(url), isConnectionLost).catch((error: unknown) => {
    const { host } = new URL(url)
    throw new Error(`PostgreSQL at ${host} cannot be used: ${String(error)}. Check ${variable}.`, { cause: error })
  })
}
