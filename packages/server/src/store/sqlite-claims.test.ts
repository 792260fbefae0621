import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { describeClaims } from './claims-contract.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import { createSqlStore } from './sql-store.ts'

describeClaims(async () => {
  const database = openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db'))
  const store = createSqlStore(database, { onError: () => {} })
  onTestFinished(() => store.close())
  return { store, database }
})
