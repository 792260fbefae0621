import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { ownPostgres } from './own-postgres.ts'
import { startReplicas } from './replicas.ts'

const postgres = ownPostgres()
const IDS = 2_000
const TIMES = 10
/** Ids that are announced at the same time, each ten times. */
const AT_ONCE = 20

test('the same 2,000 announcements, each posted 10 times at once to 3 replicas, are 2,000 messages', async () => {
  const { urls, get, announce } = await startReplicas(await postgres.database())
  const left = Array.from({ length: IDS }, () => randomUUID())
  const wrong: string[] = []

  async function announceSome(): Promise<void> {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const posts = Array.from({ length: TIMES }, (_, time) =>
        announce(urls[time % urls.length]!, { id, mailbox: 'qa' }),
      )
      const outcomes = (await Promise.all(posts)).map(({ status, body }) => `${status} ${String(body['status'])}`)
      const expected = ['200 stored', ...Array.from({ length: TIMES - 1 }, () => '200 duplicate')]
      if (outcomes.sort().join() !== expected.sort().join()) wrong.push(outcomes.join())
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, announceSome))
  expect(wrong).toEqual([])
  for (const url of urls) {
    const { body } = await get(url, '/v1/me')
    expect(body).toMatchObject({ data: { messageCount: IDS } })
  }
})
