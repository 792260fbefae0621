import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { API_KEY, startChild } from './support/child-server.ts'
import { freePort } from './support/free-port.ts'
import { FUZZ_ROUTES } from './support/fuzz-routes.ts'
import { temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'

const ADMIN_TOKEN = 'token-of-the-tests'
const ID = '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24'
const FRAMINGS = [
  ['Content-Length: 100', '{"name":'],
  ['Transfer-Encoding: chunked', '8\r\n{"name":'],
]

const API_TARGETS = [
  ...FUZZ_ROUTES.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
  'POST /trpc/user.update',
  'POST /trpc/inbox.messages.removeAll?batch=1',
  'POST /mcp',
  'POST /auth/sign-in',
].map((target) => target.replaceAll(/\{\w+\}/g, ID))
const WORKER_TARGETS = ['catch-all/worker', 'email-routing/dns/enable', 'subdomains', 'webhook/retry', 'x'].map(
  (name) => `POST /admin/${name}`,
)

/** Sends the beginning of a request, closes our side, and waits until the server has closed its own. */
async function breakOff(port: number, target: string, [header, body]: string[]): Promise<void> {
  const key = target.includes('/admin') ? ADMIN_TOKEN : target.includes('inbox') ? WEBHOOK_SECRET : API_KEY
  const head = [`${target} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`, header]
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  socket.resume()
  socket.end(`${head.join('\r\n')}\r\nContent-Type: application/json\r\n\r\n${body}`)
  await once(socket, 'close')
}

test('a body that breaks off is not logged as a failure, with a length or in chunks', async () => {
  const workerPort = await freePort()
  const server = await startChild({
    environment: { DATA_DIR: temporaryFolder(), WORKER_PORT: String(workerPort), ADMIN_TOKEN },
  })
  const apiPort = Number(new URL(server.apiUrl).port)
  for (const framing of FRAMINGS) {
    for (const target of API_TARGETS) await breakOff(apiPort, target, framing)
    for (const target of WORKER_TARGETS) await breakOff(workerPort, target, framing)
  }
  expect((await fetch(`${server.apiUrl}/health`)).status).toBe(200)
  expect(await server.stop()).toBe(0)
  expect(server.complaints()).toBe('')
})
