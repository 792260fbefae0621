import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyJourney } from './support/copy-journey.ts'
import { startPostgres, type PostgresServer } from './support/postgres-server.ts'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.remove())

test('100,000 messages are copied to an equal PostgreSQL store, with a kill during the copy', async () => {
  expect.hasAssertions()
  await copyJourney(postgres, 100_000)
})
