import type { QueryResult } from 'pg'
import { createKeyedSemaphore } from '../domain/semaphore.ts'
import { toResults, type Database, type Write } from './database.ts'
import {
  createWritable,
  openConnections,
  retrying,
  type Borrowed,
  type DatabaseAddress,
} from './postgres-connections.ts'
import { POSTGRES } from './postgres-dialect.ts'
import { isRetryable } from './postgres-errors.ts'
import { createPostgresIntake } from './postgres-intake.ts'
import { createLookups } from './postgres-lookups.ts'
import { createRotation, splitHosts, type HostFailure } from './postgres-hosts.ts'
import type { MigrationOptions } from './postgres-migrations.ts'
import { createSizeReader } from './postgres-size.ts'
import { BEGIN_LIMITED, COMMIT, refuseReadOnly, send } from './postgres-session.ts'
import { preparePostgres } from './postgres-start.ts'
import { createStatistics } from './postgres-statistics.ts'
import { isShared } from './postgres-upgrade.ts'
import { createPostgresWriter } from './postgres-writer.ts'
import type { Sql } from './sql.ts'

/**
 * At most CONNECTIONS_PER_REPLICA in total, including the listening connection. Separate pools, so that reads never wait for writes that wait
 * for another commit.
 */
const READING_CONNECTIONS = 11
const WRITING_CONNECTIONS = 8
export const CONNECTIONS_PER_REPLICA = READING_CONNECTIONS + WRITING_CONNECTIONS + 1
/** Of the reading connections: long searches leave most of them to short queries. */
const SEARCHING_CONNECTIONS = 4

export type PostgresOptions = MigrationOptions & {
  /** Called if servers of the previous version may still run: the upgrade is not finished. */
  onFinishOpen?: () => void
  /** The URL without the pooler, if `url` goes through one in transaction mode. */
  directUrl?: string | null
  /** Called once when one of several hosts fails, until it is reached again. */
  onHostFailure?: (failure: HostFailure) => void
}

/** Refuses a server that may lose committed data, and migrates the schema. The URL may have several hosts. */
export async function openPostgresDatabase(
  url: string,
  { directUrl = null, onHostFailure, onFinishOpen, ...migration }: PostgresOptions = {},
): Promise<Database> {
  const target = directUrl ? { url: directUrl, variable: 'DATABASE_DIRECT_URL' } : { url, variable: 'DATABASE_URL' }
  if (isShared(await preparePostgres(target, migration))) onFinishOpen?.()
  const hosts = createRotation(splitHosts(url), { ...(onHostFailure && { onFailure: onHostFailure }) })
  const address: DatabaseAddress = { hosts, isPooled: directUrl !== null }
  const writable = createWritable()
  const readers = openConnections(address, READING_CONNECTIONS, writable)
  const writers = openConnections(address, WRITING_CONNECTIONS, writable)
  const writer = createPostgresWriter(writers)
  const queryEach = address.isPooled ? queryInTransaction : queryDirectly
  const lookup = createLookups((statements) =>
    readers.use((borrowed) => queryEach(borrowed, statements), { isRepeatable: true }),
  )
  const intake = createPostgresIntake(call, createStatistics(call).messageStored)

  async function read<Row>(statement: Sql): Promise<Row[]> {
    const [rows] = await readers.use((borrowed) => queryEach(borrowed, [statement]), { isRepeatable: true })
    // The author of a query names its columns and so knows its rows.
    return rows as Row[]
  }

  /** One statement that writes, in a transaction of its own. */
  async function call<Row>(statement: Sql): Promise<Row[]> {
    const [rows] = await writers.use((borrowed) => retrying(() => queryEach(borrowed, [statement]), isRetryable))
    return rows as Row[]
  }

  return {
    dialect: POSTGRES,
    read,
    lookup: async <Row>(statement: Sql) => (await lookup(statement)) as Row[],
    blocksMainThread: false,
    runStep: createKeyedSemaphore(SEARCHING_CONNECTIONS),
    write: async <Writes extends Write[]>(...statements: Writes) => toResults<Writes>(await writer.write(statements)),
    writeFor: async <Writes extends Write[]>(teamId: string, ...statements: Writes) =>
      toResults<Writes>(await writer.writeFor(teamId, statements)),
    storeMessage: intake.store,
    check: readers.check,
    sizeBytes: createSizeReader(read),
    async close() {
      await Promise.all([writer.close(), intake.close()])
      await Promise.all([readers.close(), writers.close()])
    },
  }
}

async function queryDirectly({ client, toQuery }: Borrowed, statements: Sql[]): Promise<unknown[][]> {
  return toRows(await send(client, statements.map(toQuery)))
}

/** In a transaction, which sets its own limits and shows whether the server accepts writes. */
async function queryInTransaction({ client, toQuery }: Borrowed, statements: Sql[]): Promise<unknown[][]> {
  const results = await send(client, [BEGIN_LIMITED, ...statements.map(toQuery), COMMIT])
  const rows = toRows(results)
  if (results[0]!.status === 'fulfilled') refuseReadOnly(results[0]!.value)
  return rows.slice(1, -1)
}

/** Throws the first error. Those after it in a transaction only say that it failed. */
function toRows(results: PromiseSettledResult<QueryResult>[]): unknown[][] {
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value.rows
  })
}
