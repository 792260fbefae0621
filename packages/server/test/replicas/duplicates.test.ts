import { expect, test } from 'vitest'
import { freshDatabase } from '../support/postgres.ts'
import { announceRepeatedly } from './duplicates-run.ts'

test('the same 100 announcements, each posted 10 times at once to 3 replicas, are 100 messages', async () => {
  const { wrong, me } = await announceRepeatedly(await freshDatabase(), 100)
  expect(wrong).toEqual([])
  const counted = { data: { messageCount: 100 } }
  expect(me).toMatchObject([counted, counted, counted])
})
