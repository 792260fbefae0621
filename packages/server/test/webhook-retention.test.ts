import { expect, test, vi } from 'vitest'
import { store } from './support/announce.ts'
import { startServer } from './support/server.ts'
import { webhookClient } from './support/webhook-client.ts'
import { startWebhookReceiver } from './support/webhook-receiver.ts'

const DAY_MS = 86_400_000

test('deliveries are listed for 30 days after their end', async () => {
  const clock = { ahead: 0 }
  const now = () => Date.now() + clock.ahead
  const receiver = await startWebhookReceiver()
  const environment = { WEBHOOK_ALLOWED_HOSTS: receiver.host, RETENTION_SWEEP_SECONDS: '1' }
  const { url, apiKey } = await startServer(environment, now)
  const webhooks = webhookClient(url, apiKey)
  const { endpoint } = await webhooks.add({ url: receiver.url })
  const listed = async () => (await webhooks.deliveries(endpoint.id)).map(({ messageId }) => messageId)
  const tell = async () => {
    const { id } = await store(url, { receivedAt: new Date(now()).toISOString() })
    // Until its end is recorded too, because the clock is moved next.
    const hasEnded = async () =>
      (await webhooks.deliveries(endpoint.id, 'status=success')).some(({ messageId }) => messageId === id)
    await vi.waitUntil(hasEnded, 20_000)
    return id
  }
  const old = await tell()
  clock.ahead = 29 * DAY_MS
  const recent = await tell()
  expect(await listed()).toEqual([recent, old])
  clock.ahead = 31 * DAY_MS
  await vi.waitUntil(async () => (await listed()).length < 2, 20_000)
  expect(await listed()).toEqual([recent])
})
