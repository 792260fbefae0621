import { beforeAll, onTestFinished } from 'vitest'
import { administer, copyDatabase } from '../../test/support/postgres.ts'
import { previousDatabase } from '../../test/upgrade/previous-database.ts'
import { connectPrevious } from '../../test/upgrade/previous-replica.ts'
import type { Database } from './database.ts'
import { whenIndexed } from './matching-contract.ts'
import { openPostgresDatabase } from './postgres-database.ts'
import { createSqlStore } from './sql-store.ts'
import { describeStore } from './store-contract.ts'
import type { Store } from './store.ts'

/** Small, so that few messages complete a block. */
const BLOCK_SIZE = 16

const databases = new WeakMap<Store, Database>()
let shared: string

/** An upgraded database that is not finished. It had a team, because others are not upgraded in place. */
beforeAll(async () => {
  shared = await previousDatabase()
  const old = await connectPrevious(shared)
  await old.addTeam({ id: 'gone', domain: null })
  await old.close()
  await (await openPostgresDatabase(shared)).close()
  await administer(shared, 'delete from teams')
})

async function open(): Promise<Store> {
  const database = await openPostgresDatabase(await copyDatabase(shared))
  const store = createSqlStore(database, {
    onError(error) {
      throw error
    },
    blockSize: BLOCK_SIZE,
  })
  databases.set(store, database)
  onTestFinished(() => store.close())
  return store
}

describeStore('PostgreSQL store that older servers may use', open, (store) =>
  whenIndexed(databases.get(store)!, BLOCK_SIZE),
)
