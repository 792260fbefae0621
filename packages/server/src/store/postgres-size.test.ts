import { expect, onTestFinished, test } from 'vitest'
import { emptyDatabase } from '../../test/support/postgres.ts'
import { openPostgresDatabase } from './postgres-database.ts'
import { createSizeReader } from './postgres-size.ts'
import { sql } from './sql.ts'

test('the size of the database is asked for at most once a minute, and follows its growth', async () => {
  const database = await openPostgresDatabase(await emptyDatabase())
  onTestFinished(() => database.close())
  let at = 0
  const sizeBytes = createSizeReader(database.read, () => at)
  const before = await sizeBytes()
  expect(before).toBeGreaterThan(1_000_000)
  await database.write(sql`create table filler as select repeat('x', 1000) as text from generate_series(1, 5000)`)
  at = 59_000
  expect(await sizeBytes()).toBe(before)
  at = 60_000
  expect(await sizeBytes()).toBeGreaterThan(before + 5_000_000)
})
