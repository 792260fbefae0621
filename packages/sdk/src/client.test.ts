import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Mailhatch } from './client.ts'

type Reply = { status: number; headers?: Record<string, string>; body: string }

/** A server that gives these answers one after another, the last one again and again. */
async function startAnswering(replies: Reply[]) {
  const asked: string[] = []
  const server = createServer((request, response: ServerResponse) => {
    const { status, headers, body } = replies[Math.min(asked.length, replies.length - 1)]!
    asked.push(request.url!)
    response.writeHead(status, headers).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  // Listening on a port, not on a pipe.
  const { port } = server.address() as AddressInfo
  return { asked, sdk: new Mailhatch({ url: `http://127.0.0.1:${port}/`, apiKey: 'key' }) }
}

const FOUND = { status: 200, body: JSON.stringify({ data: { subject: 'Hello' } }) }
const refusal = (status: number, code: string, more: object = {}): Reply => ({
  status,
  headers: { 'retry-after': '0.01' },
  body: JSON.stringify({ error: 'A sentence.', code, requestId: 'r', ...more }),
})

test('a wait goes on through a restart, a request to slow down, and "nothing yet"', async () => {
  const { sdk, asked } = await startAnswering([
    refusal(503, 'shutting_down'),
    refusal(429, 'too_many_waits'),
    refusal(404, 'message_not_found'),
    FOUND,
  ])
  expect((await sdk.messages.waitFor({ mailbox: 'qa' }, { timeout: 5_000 })).subject).toBe('Hello')
  expect(asked).toHaveLength(4)
})

test('a wait ends at once when the answer can only be the same again', async () => {
  for (const reply of [refusal(404, 'not_found'), refusal(401, 'unauthorized'), refusal(403, 'forbidden')]) {
    const { sdk, asked } = await startAnswering([reply])
    await expect(sdk.messages.waitFor({ mailbox: 'qa' })).rejects.toMatchObject({ status: reply.status })
    expect(asked).toHaveLength(1)
  }
})

test('a timeout says what was asked, what arrived, and what each message lacked', async () => {
  const arrived = [{ to: 'qa+2@in.test', subject: 'Welcome', failed: ['tag'] }]
  const { sdk } = await startAnswering([refusal(404, 'message_not_found', { arrived })])
  await expect(sdk.messages.waitFor({ tag: '1' }, { timeout: 30 })).rejects.toMatchObject({
    name: 'MessageTimeoutError',
    message: expect.stringMatching(/\{"tag":"1"\} within 30 ms.*qa\+2@in\.test: Welcome \(other tag\)/s),
    arrived,
  })
})

test('an answer that is not ours is an error with its status', async () => {
  const { sdk } = await startAnswering([{ status: 502, body: '<h1>Bad gateway</h1>' }])
  await expect(sdk.me()).rejects.toMatchObject({ name: 'MailhatchError', status: 502, code: 'unknown' })
})
