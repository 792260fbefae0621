import { expect, onTestFinished, test } from 'vitest'
import { crashClaims } from '../../test/support/crashed-claims.ts'
import { freshDatabase } from '../../test/support/postgres.ts'
import { describeClaims } from './claims-contract.ts'
import { describeHeldAddresses } from './held-address-contract.ts'
import { openPostgresDatabase } from './postgres-database.ts'
import { createSqlStore } from './sql-store.ts'

async function open() {
  const database = await openPostgresDatabase(await freshDatabase())
  const store = createSqlStore(database, { onError: () => {} })
  onTestFinished(() => store.close())
  return { store, database }
}

describeClaims(open)
describeHeldAddresses(open)

test('after sessions that end in the middle, no name is stuck and each belongs to one team', async () => {
  const report = await crashClaims({ url: await freshDatabase(), rounds: 20, seed: 3 })
  expect(report).toMatchObject({ stuck: [], shared: [] })
  // Some changes were interrupted, and some were not.
  expect(report.interrupted).toBeGreaterThan(0)
  expect(report.done).toBeGreaterThan(0)
})
