import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { Mailhatch, type MailhatchOptions } from '../../src/client.ts'

/** `hang`: never responds; `drop`: closes the connection. */
export type Reply = 'hang' | 'drop' | { status: number; headers?: Record<string, string>; body: string }

export type SeenRequest = { method: string; url: string; headers: IncomingMessage['headers'] }

/** A server that sends these responses in turn and repeats the last one, and a client for it. */
export async function startFakeServer(replies: Reply[], options: MailhatchOptions = {}) {
  const requests: SeenRequest[] = []
  const server = createServer((request, response) => {
    const reply = replies[Math.min(requests.length, replies.length - 1)]!
    requests.push({ method: request.method!, url: request.url!, headers: request.headers })
    if (reply === 'drop') request.socket.destroy()
    else if (reply !== 'hang') response.writeHead(reply.status, reply.headers).end(reply.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // A TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return { requests, url, sdk: new Mailhatch({ url: `${url}/`, apiKey: 'key', ...options }) }
}

export const success = (body: object): Reply => ({ status: 200, body: JSON.stringify(body) })

export const refusal = (status: number, code: string, more: object = {}): Reply => ({
  status,
  headers: { 'retry-after': '0.01' },
  body: JSON.stringify({ error: 'A sentence.', code, requestId: 'r1', ...more }),
})
