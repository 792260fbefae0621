import { expect, test } from 'vitest'
import { announceRepeatedly } from './duplicates-run.ts'
import { ownPostgres } from './own-postgres.ts'

const postgres = ownPostgres()

test('the same 2,000 announcements, each posted 10 times at once to 3 replicas, are 2,000 messages', async () => {
  const { wrong, me } = await announceRepeatedly(await postgres.database(), 2_000)
  expect(wrong).toEqual([])
  const counted = { data: { messageCount: 2_000 } }
  expect(me).toMatchObject([counted, counted, counted])
})
