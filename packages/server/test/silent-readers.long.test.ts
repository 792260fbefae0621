import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { buildDashboard } from './support/dashboard.ts'
import { startFileServer } from './support/file-server.ts'
import { isDisconnected } from './support/disconnected.ts'
import { openPeople } from './support/people.ts'
import { SmtpClient } from './support/smtp-client.ts'

/** Thirty checks, one a second, on a busy machine. */
const CUT_MS_MAX = 75_000
const SOON_MS = 20_000
const ADMIN_TOKEN = 'token-of-the-admin-for-this-test'

await buildDashboard()
const server = await startFileServer({ ADMIN_TOKEN })
const { url, apiKey } = server
const apiPort = Number(new URL(url).port)
const operator = await (await openPeople(server)).operator()

const image = Buffer.alloc(100_000, 7).toString('base64')
const file = Buffer.alloc(16 * 1024 * 1024, 7).toString('base64')
const id = await sendLarge()

async function sendLarge(): Promise<string> {
  const parts = [
    `Content-Type: text/html\r\n\r\n${'<img src=cid:a>\r\n'.repeat(3_500)}`,
    `Content-Type: application/x-test; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines(file)}`,
    `Content-Type: image/png\r\nContent-ID: <a>\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines(image)}`,
  ]
  const head = 'Subject: large\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n'
  const raw = Buffer.from(`${head}${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`)
  const client = await SmtpClient.connect(server.smtpPort)
  expect(await client.send({ to: 'qa+large@mailhatch.test', raw })).toMatch(/^250 /)
  client.close()
  return (await server.latest('tag=large&wait=20')).data.id
}

function lines(base64: string): string {
  return base64.replaceAll(/.{76}/g, '$&\r\n')
}

type Door = {
  path: () => string | Promise<string>
  headers?: Record<string, string>
  body?: string
  port?: number
  /** Requested many times on one connection, because one response is small. */
  times?: number
}

const key = { authorization: `Bearer ${apiKey}` }
const RPC = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const LIST_TOOLS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })

const DOORS: Record<string, Door> = {
  'raw mail': { path: () => `/v1/messages/${id}/raw`, headers: key },
  'an attachment': { path: () => `/v1/messages/${id}/attachments/0`, headers: key },
  'the detail': { path: () => `/v1/messages/${id}`, headers: key, times: 150 },
  'a list': { path: () => '/v1/messages?limit=100', headers: key, times: 12_000 },
  'the page of a mail': {
    path: async () => (await operator.call.inbox.messages.view.query({ id })).path,
  },
  'an asset of the dashboard': { path: () => asset, times: 200 },
  'the OpenAPI document': { path: () => '/openapi.json', times: 200 },
  'tools for agents': { path: () => '/mcp', headers: { ...key, ...RPC }, body: LIST_TOOLS, times: 800 },
  'raw mail at the dashboard': { path: () => `/app/messages/${id}/raw`, headers: operator.headers },
  'raw mail of the worker': {
    path: () => `/admin/inboxes/qa/messages/${id}/raw?domain=mailhatch.test`,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    port: server.workerPort,
  },
}

const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
const asset = /src="([^"]*\/assets\/[^"]*)"/.exec(page)![1]!

/** Sends a request and never reads. */
async function holdOpen({ path, headers = {}, body, port = apiPort, times = 1 }: Door): Promise<Socket> {
  const target = await path()
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const all = {
    host: 'localhost',
    ...headers,
    ...(body === undefined ? {} : { 'content-length': String(body.length) }),
  }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = `${body === undefined ? 'GET' : 'POST'} ${target} HTTP/1.1\r\n${head.join('')}\r\n${body ?? ''}`
  socket.write(request.repeat(times))
  return socket
}

test('a client that requests any route and does not read is disconnected, while others are served', async () => {
  const silent = new Map<string, Socket>()
  for (const [name, door] of Object.entries(DOORS)) silent.set(name, await holdOpen(door))
  for (const [name, door] of Object.entries(DOORS)) {
    const { headers = {}, body, port = apiPort } = door
    const answer = await fetch(`http://127.0.0.1:${port}${await door.path()}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      body: body ?? null,
      signal: AbortSignal.timeout(SOON_MS),
    })
    expect([name, answer.status]).toEqual([name, 200])
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(100)
  }
  await vi.waitFor(
    async () => {
      const open: string[] = []
      for (const [name, socket] of silent) if (!(await isDisconnected(socket))) open.push(name)
      expect(open).toEqual([])
    },
    { timeout: CUT_MS_MAX, interval: 500 },
  )
})
