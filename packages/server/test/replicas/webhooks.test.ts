import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { freshDatabase } from '../support/postgres.ts'
import { webhookClient } from '../support/webhook-client.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'
import { startReplicas } from './replicas.ts'

const IDS = 12
const TIMES = 10

test('announcements posted 10 times at once to 3 replicas are one message each, with one delivery per endpoint, sent once', async () => {
  const receiver = await startWebhookReceiver()
  const environment = { WEBHOOK_ALLOWED_HOSTS: receiver.host }
  const { urls, key, get, announce } = await startReplicas(await freshDatabase(), { environment })
  const webhooks = webhookClient(urls[0]!, key)
  const paths = ['/one', '/other']
  const endpoints = []
  for (const path of paths) endpoints.push((await webhooks.add({ url: receiver.url + path })).endpoint)
  const { endpoint: inactive } = await webhooks.add({ url: `${receiver.url}/inactive` })
  await webhooks.change(inactive.id, { active: false })

  /** On a busy machine a replica may be overloaded, or not be done by its deadline. The worker retries then, too. */
  async function announceUntilTaken(url: string, id: string) {
    for (;;) {
      const answer = await announce(url, { id })
      if (![500, 503].includes(answer.status)) return answer
    }
  }

  const ids = Array.from({ length: IDS }, () => randomUUID())
  const posts = ids.flatMap((id) =>
    Array.from({ length: TIMES }, (_, time) => announceUntilTaken(urls[time % urls.length]!, id)),
  )
  const answers = await Promise.all(posts)
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  const outcomes = answers.map(({ body }) => body['status'])
  // One message each, counted once; more of them are in duplicates.long.test.ts.
  expect(outcomes.filter((status) => status === 'stored')).toHaveLength(IDS)
  expect(outcomes.filter((status) => status === 'duplicate')).toHaveLength(IDS * (TIMES - 1))
  for (const url of urls) expect(await get(url, '/v1/me')).toMatchObject({ body: { data: { messageCount: IDS } } })

  // On any replica.
  for (const [index, { id }] of endpoints.entries()) {
    const told = await webhookClient(urls[index + 1]!, key).deliveries(id, 'limit=100')
    expect(told.map(({ messageId }) => messageId).sort()).toEqual(ids.toSorted())
  }
  expect(await webhooks.deliveries(inactive.id)).toEqual([])
  await vi.waitUntil(() => receiver.received.length >= IDS * paths.length, 30_000)
  const received = receiver.received.map(({ path, messageId }) => `${path} ${messageId}`)
  expect(received.sort()).toEqual(paths.flatMap((path) => ids.map((id) => `${path} ${id}`)).sort())
  // One event for both endpoints, and another one for each message.
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(IDS)
})
