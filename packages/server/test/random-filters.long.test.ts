import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Database } from '../src/store/database.ts'
import { testMatching } from '../src/store/matching-contract.ts'
import type { WalkLimits } from '../src/store/message-walk.ts'
import { openPostgresDatabase } from '../src/store/postgres-database.ts'
import { createSqlStore } from '../src/store/sql-store.ts'
import { openSqliteDatabase } from '../src/store/sqlite-database.ts'
import { ownPostgres } from './replicas/own-postgres.ts'
import { temporaryFolder } from './support/server.ts'

const postgres = ownPostgres()

const DATABASES: Record<string, () => Promise<Database>> = {
  SQLite: async () => openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db')),
  PostgreSQL: async () => openPostgresDatabase(await postgres.database()),
}

/** Read in small steps, so that few messages already take several. */
const SMALL_STEPS: WalkLimits = { candidates: [4, 16], narrow: 20, shortRange: 30, newestChecked: 4 }

for (const [name, openDatabase] of Object.entries(DATABASES)) {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const counts = { filters: 2_000, seed }
  testMatching(
    `${name}, seed ${seed}`,
    () => open(openDatabase),
    async () => {},
    counts,
  )
  testMatching(
    `${name} in small steps, seed ${seed}`,
    () => open(openDatabase, { walk: SMALL_STEPS }),
    async () => {},
    counts,
  )
}

async function open(openDatabase: () => Promise<Database>, options: { walk?: WalkLimits } = {}) {
  const store = createSqlStore(await openDatabase(), {
    onError(error) {
      throw error
    },
    blockSize: 16,
    ...options,
  })
  onTestFinished(() => store.close())
  return store
}
