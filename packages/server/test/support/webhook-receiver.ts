import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { WebhookEvent } from '@mailhatch/sdk'
import { onTestFinished } from 'vitest'

export type ReceivedWebhook = {
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** The `webhook-id` header. */
  id: string
  messageId: string
  /** By the clock of the test process. */
  at: number
}

export type ReceiverAnswer = { status: number; headers?: Record<string, string>; body?: string }

/** What to respond; null for no response until the sender times out. */
type Answering = (webhook: ReceivedWebhook) => ReceiverAnswer | null | Promise<ReceiverAnswer | null>

/** A customer's receiver on a free local port that keeps what it received. Closed when the test ends. */
export async function startWebhookReceiver(answering: Answering = () => ({ status: 200 })) {
  const received: ReceivedWebhook[] = []
  const hanging = { now: 0, most: 0 }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    // A body that is not an event of ours fails the test that reads it.
    const { data } = JSON.parse(body) as WebhookEvent
    const { url: path = '', headers } = request
    const webhook = { path, headers, body, id: String(headers['webhook-id']), messageId: data.id, at: Date.now() }
    received.push(webhook)
    const given = await answering(webhook)
    if (given) return void response.writeHead(given.status, given.headers).end(given.body)
    hanging.most = Math.max(hanging.most, ++hanging.now)
    response.once('close', () => hanging.now--)
  }

  const server = createServer((request, response) => {
    // A sender that is killed closes its connections in the middle of a request.
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  // A TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    received,
    /** The largest number of requests without a response at one time. */
    mostHanging: () => hanging.most,
    /** Ends every request that has no response yet. */
    hangUp: () => server.closeAllConnections(),
  }
}
