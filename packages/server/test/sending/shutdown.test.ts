import { expect, test, vi } from 'vitest'
import { startWebhookReceiver, type ReceiverAnswer } from '../support/webhook-receiver.ts'
import { webhookClient } from '../support/webhook-client.ts'
import { storeMany } from '../support/announce.ts'
import { API_KEY, startChild } from '../support/child-server.ts'
import { temporaryFolder } from '../support/server.ts'

test('a program that stops completes its attempts and leaves the rest to the next start', async () => {
  const waiting: ((answer: ReceiverAnswer) => void)[] = []
  let isHolding = true
  const receiver = await startWebhookReceiver(() =>
    isHolding ? new Promise((answer) => waiting.push(answer)) : { status: 200 },
  )
  const environment = { DATA_DIR: temporaryFolder(), WEBHOOK_ALLOWED_HOSTS: receiver.host }
  const first = await startChild({ environment })
  await webhookClient(first.apiUrl, API_KEY).add({ url: receiver.url })
  const sent = await storeMany(first.apiUrl, 8, () => ({}))
  await vi.waitUntil(() => waiting.length === 5)

  const stopped = first.stop()
  // It no longer responds, so it has received the signal.
  await vi.waitUntil(async () => (await fetch(`${first.apiUrl}/health`).catch(() => null)) === null)
  for (const answer of waiting) answer({ status: 200 })
  expect(await stopped).toBe(0)
  expect(receiver.received).toHaveLength(5)

  isHolding = false
  await startChild({ environment })
  await vi.waitUntil(() => receiver.received.length >= 8)
  // Each once: attempts in progress were recorded, and the others were not lost.
  expect(receiver.received.map(({ messageId }) => messageId).sort()).toEqual(sent.map(({ id }) => id).sort())
})
