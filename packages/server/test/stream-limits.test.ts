import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { announcement, post } from './support/announce.ts'
import { ask } from './support/ask.ts'
import { openEvents, type EventStream } from './support/event-stream.ts'
import { startFileServer } from './support/file-server.ts'
import { startServer } from './support/server.ts'

const PATH = '/v1/messages/stream'

const server = await startFileServer()
const { url, apiKey, store, newMailbox, me } = server
const { name: teamName } = (await me()).team
const makeKey = () => server.command<{ id: string; key: string }>('keys', 'create', '--team', teamName)

function open(key: string, query = '', question: { lastEventId?: string } = {}) {
  return openEvents(`${url}${PATH}?${query}`, { key, ...question })
}

test('limit: a client that does not read is disconnected, while another gets everything', async () => {
  const mailbox = newMailbox()
  const [stalled, quick] = [await open(apiKey, `mailbox=${mailbox}`), await open(apiKey, `mailbox=${mailbox}`)]
  stalled.pause()
  // The kernel buffers about 10 MB for the reader before anything waits in the server.
  const sent = 300
  // JSON writes each of these characters as six bytes.
  for (let count = 0; count < sent; count++) await store({ mailbox, subject: '\u0001'.repeat(8 * 1024) })
  await vi.waitFor(() => expect(quick.messages).toHaveLength(sent))
  stalled.resume()
  expect(await stalled.closed).toBe('cut')
  expect(stalled.messages.length).toBeLessThan(sent)
  expect(await Promise.race([quick.closed, Promise.resolve('open')])).toBe('open')
  // It can resume where it stopped.
  const again = await open(apiKey, `mailbox=${mailbox}`, { lastEventId: stalled.cursors.at(-1) ?? quick.cursors[0]! })
  await vi.waitFor(() => expect(again.cursors.at(-1)).toBe(quick.cursors.at(-1)))
})

test('limit: a key has 1,000 streams, and another one when one is closed', async () => {
  const { key } = await makeKey()
  const streams: EventStream[] = []
  while (streams.length < 999) {
    const batch = Math.min(100, 999 - streams.length)
    streams.push(...(await Promise.all(Array.from({ length: batch }, () => open(key)))))
  }
  streams.push(await open(key))
  expect(streams.every(({ status }) => status === 200)).toBe(true)
  const { status, headers, body } = await ask(url + PATH, { key })
  expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'too_many_streams', '1'])
  streams[500]!.destroy()
  const again = await vi.waitFor(async () => {
    const stream = await open(key)
    expect(stream.status).toBe(200)
    return stream
  })
  streams.push(again)
  expect((await ask(url + PATH, { key })).status).toBe(429)
})

test('streams pipelined on one connection are forgotten with it', async () => {
  const { key } = await makeKey()
  const question = `GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`
  // More than the limit in total, so it would be reached if they were not forgotten.
  for (let round = 0; round < 3; round++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(question.repeat(500))
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    expect(bytes.toString()).toMatch(/^HTTP\/1\.1 200 OK/)
    socket.destroy()
    await once(socket, 'close')
  }
  await vi.waitFor(async () => expect((await open(key)).status).toBe(200))
})

test('shutting down asks streams to reconnect soon, and ends them', async () => {
  const local = await startServer()
  const stream = await openEvents(local.url + PATH, { key: local.apiKey })
  expect((await post(local.url, announcement({ subject: 'before' }))).status).toBe(200)
  await vi.waitFor(() => expect(stream.subjects()).toEqual(['before']))
  await local.close()
  expect(await stream.closed).toBe('ended')
  expect(
    stream
      .text()
      .split(/(?<=\n\n)/)
      .at(-1),
  ).toBe('retry: 1000\n\n')
})
