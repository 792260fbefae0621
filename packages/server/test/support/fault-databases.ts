import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { openPostgresDatabase } from '../../src/store/postgres-database.ts'
import { DatabaseUnavailable } from '../../src/store/postgres-errors.ts'
import { openSqliteDatabase } from '../../src/store/sqlite-database.ts'
import { openFaultyPort, type FaultyPort, type Kind } from './call-faults.ts'
import { faultyPostgres } from './faulty-postgres.ts'
import { temporaryFolder } from './server.ts'
import { watchWriter } from './watched-writer.ts'

/** A database that fails on demand, and another way to the same rows, which does not. */
export type FaultyDatabase = { faulty: FaultyPort<Database>; view: Database }

/** SQLite's codes for a disk that fails and for one that is full. */
const SQLITE_CODES: Record<string, number> = { EIO: 10, ENOSPC: 13 }

export function diskCode(kind: Kind): string {
  return kind === 'disk full' ? 'ENOSPC' : 'EIO'
}

export function diskFailure(code: string): Error {
  return Object.assign(new Error(`${code}: as asked`), { code, errcode: SQLITE_CODES[code] })
}

/** Transactions fail at their statements, everything else as a whole. */
function isWrite(call: string): boolean {
  return call.startsWith('write')
}

export async function sqliteDatabase(): Promise<FaultyDatabase> {
  const path = join(temporaryFolder(), 'mailhatch.db')
  const { threadUrl, transactionsOf } = watchWriter()
  const writing = transactionsOf('mailhatch.db')
  const faulty = await openFaultyPort<Database>({
    open: () => openSqliteDatabase(path, threadUrl),
    placeOf: (call) => (isWrite(call) ? writing : 'call'),
    codeOf: diskCode,
    fail: diskFailure,
  })
  return closedAtEnd({ faulty, view: openSqliteDatabase(path) })
}

/** PostgreSQL's codes for the same. */
const POSTGRES_IO_ERROR = '58030'
const POSTGRES_DISK_FULL = '53100'

export async function postgresDatabase(url: string): Promise<FaultyDatabase> {
  const writing = faultyPostgres(url)
  const faulty = await openFaultyPort<Database>({
    open: () => openPostgresDatabase(url),
    placeOf: (call) => (isWrite(call) ? writing : 'call'),
    codeOf: (kind) => (kind === 'disk full' ? POSTGRES_DISK_FULL : POSTGRES_IO_ERROR),
    fail: (code) => (code === POSTGRES_DISK_FULL ? diskFailure('ENOSPC') : new DatabaseUnavailable(new Error(code))),
  })
  return closedAtEnd({ faulty, view: await openPostgresDatabase(url) })
}

function closedAtEnd(database: FaultyDatabase): FaultyDatabase {
  onTestFinished(async () => void (await Promise.all([database.faulty.port.close(), database.view.close()])))
  return database
}
