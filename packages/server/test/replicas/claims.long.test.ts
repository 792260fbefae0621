import { expect, test } from 'vitest'
import { crashClaims } from '../support/crashed-claims.ts'
import { ownPostgres } from './own-postgres.ts'

const postgres = ownPostgres()

test('500 times, sessions end in the middle of changes of names', async () => {
  const report = await crashClaims({ url: await postgres.database(), rounds: 500, seed: 7 })
  console.info(report)
  expect(report).toMatchObject({ stuck: [], shared: [] })
  expect(report.interrupted).toBeGreaterThan(500)
})
