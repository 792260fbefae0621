import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { describeClaims } from './claims-contract.ts'
import { describeHeldAddresses } from './held-address-contract.ts'
import { openSqliteDatabase } from './sqlite-database.ts'
import { createSqlStore } from './sql-store.ts'

async function open() {
  const database = openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db'))
  const store = createSqlStore(database, { onError: () => {} })
  onTestFinished(() => store.close())
  return { store, database }
}

describeClaims(open)
describeHeldAddresses(open)
