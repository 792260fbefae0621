import type { ErrorBody, WebhookDelivery, WebhookEndpoint } from '@mailhatch/sdk'
import { expect, onTestFinished, vi } from 'vitest'
import { ask, type Answer } from './ask.ts'
import { startFileServer } from './file-server.ts'
import { startWebhookReceiver, type ReceivedWebhook, type ReceiverAnswer } from './webhook-receiver.ts'

type WebhookAnswer<Data> = Answer<ErrorBody & { data: Data }>
export type Created = { endpoint: WebhookEndpoint; secret: string }

/** Longer than any test, so that failures stay pending. */
const RETRY_DELAYS = '3600'

/** A server for all tests of a file, and helpers for the webhook routes. Call it at the top level. */
export async function startWebhookJourney() {
  const server = await startFileServer({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1', WEBHOOK_RETRY_DELAYS: RETRY_DELAYS })

  function call<Data = unknown>(
    method: string,
    path: string,
    body?: unknown,
    key = server.apiKey,
  ): Promise<WebhookAnswer<Data>> {
    const headers = { 'content-type': 'application/json' }
    const question = body === undefined ? {} : { headers, body: JSON.stringify(body) }
    return ask(`${server.url}/v1/webhooks${path}`, { method, key, ...question })
  }

  /** An endpoint that is deleted with the test. */
  async function add(wish: object): Promise<Created> {
    const { status, body } = await call<Created>('POST', '', wish)
    expect(status, JSON.stringify(body)).toBe(201)
    onTestFinished(async () => void (await call('DELETE', `/${body.data.endpoint.id}`)))
    return body.data
  }

  /** An endpoint with its own receiver and a mailbox that no other test uses. */
  async function start(answer?: (webhook: ReceivedWebhook) => ReceiverAnswer) {
    const receiver = await startWebhookReceiver(answer)
    const mailbox = server.newMailbox()
    const { endpoint, secret } = await add({ url: `${receiver.url}/hook`, mailbox })
    const { id } = endpoint
    const deliveries = async (query = '') =>
      (await call<WebhookDelivery[]>('GET', `/${id}/deliveries${query}`)).body.data
    /** Resolves when there are this many, each with an attempt. */
    const settled = (count: number) =>
      vi.waitUntil(async () => {
        const all = await deliveries()
        return all.length === count && all.every(({ attempt }) => attempt > 0) ? all : null
      })
    /** Resolves when this many have succeeded. */
    const succeeded = (count: number) =>
      vi.waitUntil(async () => (await deliveries('?status=success')).length === count)
    return { receiver, mailbox, endpoint, secret, id, deliveries, settled, succeeded }
  }

  const makeKey = async (...words: string[]) => (await server.command<{ key: string }>('keys', 'create', ...words)).key

  return { server, call, add, start, makeKey }
}
