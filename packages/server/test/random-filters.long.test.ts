import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Database } from '../src/store/database.ts'
import { testMatching, whenIndexed } from '../src/store/matching-contract.ts'
import type { WalkLimits } from '../src/store/message-walk.ts'
import { openPostgresDatabase } from '../src/store/postgres-database.ts'
import { sql } from '../src/store/sql.ts'
import { createSqlStore } from '../src/store/sql-store.ts'
import { openSqliteDatabase } from '../src/store/sqlite-database.ts'
import type { Store } from '../src/store/store.ts'
import { ownPostgres } from './replicas/own-postgres.ts'
import { temporaryFolder } from './support/server.ts'

/** Small, so that few messages complete a block, and large enough for slices that are lists. */
const BLOCK_SIZE = 64
/** Read in small steps, so that few messages already take several. */
const SMALL_STEPS: WalkLimits = { candidates: [4, 16], narrow: 20, shortRange: 30, newestChecked: 4, marked: 4 }

const postgres = ownPostgres()
const databases = new WeakMap<Store, Database>()

const DATABASES: Record<string, () => Promise<Database>> = {
  SQLite: async () => openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db')),
  PostgreSQL: async () => openPostgresDatabase(await postgres.database()),
}

for (const [name, openDatabase] of Object.entries(DATABASES)) {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const counts = { filters: 2_000, seed }
  const state = (words: string) => `${name}, ${words}, seed ${seed}`
  const indexed = (store: Store) => whenIndexed(databases.get(store)!, BLOCK_SIZE)
  const open = (walk?: WalkLimits) => openStore(openDatabase, walk)
  const nothing = async () => {}

  testMatching(state('just arrived'), open, nothing, counts)
  testMatching(state('walked a few at a time'), () => open(SMALL_STEPS), nothing, counts)
  testMatching(state('indexed'), open, indexed, counts)
  const forgetMost = async (store: Store, teamId: string) => {
    await indexed(store)
    await databases
      .get(store)!
      .write(sql`update team_state set indexed_through = ${BLOCK_SIZE - 1} where team_id = ${teamId}`)
  }
  testMatching(state('indexed in part'), open, forgetMost, counts)
}

async function openStore(openDatabase: () => Promise<Database>, walk?: WalkLimits): Promise<Store> {
  const database = await openDatabase()
  const onError = (error: unknown) => {
    throw error
  }
  const store = createSqlStore(database, { onError, blockSize: BLOCK_SIZE, ...(walk && { walk }) })
  databases.set(store, database)
  onTestFinished(() => store.close())
  return store
}
