import { join } from 'node:path'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import type { AnswerEnvironment } from '../answer-errors.ts'
import { openEmbeddedBucket } from '../bucket/embedded-bucket.ts'
import { metadataKey } from '../domain/object-keys.ts'
import { newId } from '../random.ts'
import { temporaryFolder } from '../../test/support/server.ts'
import { addSetAsideRoute } from './admin-set-aside.ts'

const MAILS = 20

test('limit: pages of any size list every mail that is set aside once, and no other', async () => {
  const bucket = openEmbeddedBucket(join(temporaryFolder(), 'inbox.db'))
  onTestFinished(() => bucket.close())
  const expected: string[] = []
  for (let number = 0; number < MAILS; number++) {
    const id = newId(Date.now() + number)
    const setAside = number % 3 === 0 ? null : { at: '', reason: 'why', isReported: true }
    if (setAside) expected.push(id)
    const key = metadataKey('unprocessed', { domain: 'in.test', mailbox: 'qa', id })
    await bucket.put([{ key, body: new TextEncoder().encode(JSON.stringify({ id, lastCode: null, setAside })) }])
  }
  const app = new Hono<AnswerEnvironment>()
  // Only the domain setting is used, and only if the request names one.
  addSetAsideRoute(app, { bucket, settings: {} as never, log: { error: () => {} } })

  for (const limit of [1, 2, 5, 6, 7, 13, 50]) {
    const found: string[] = []
    let cursor: string | undefined
    do {
      const query = new URLSearchParams({ limit: String(limit), ...(cursor === undefined ? {} : { cursor }) })
      const answer = await app.request(`/admin/set-aside?${query}`)
      const page = (await answer.json()) as { messages: { id: string }[]; cursor?: string }
      expect(page.messages.length).toBeLessThanOrEqual(limit)
      found.push(...page.messages.map(({ id }) => id))
      cursor = page.cursor
    } while (cursor !== undefined)
    expect(found).toEqual(expected)
  }
})
