import { expect, test } from 'vitest'
import { serverSentEvents } from './server-sent-events.ts'

const STREAM =
  'retry: 2000\nevent: connected\ndata: {}\n\n: note\n\nid: c1\nevent: a:b\ndata: x: y\n\ndata:bare\r\n\r\ndata: cut'

async function eventsOf(chunks: string[]) {
  async function* body() {
    yield* chunks
  }
  return Array.fromAsync(serverSentEvents(body()))
}

test('events do not depend on how the stream is chunked', async () => {
  const whole = await eventsOf([STREAM])
  expect(whole).toEqual([
    { event: 'connected', data: '{}', id: '' },
    { event: 'a:b', data: 'x: y', id: 'c1' },
    { event: 'message', data: 'bare', id: '' },
  ])
  for (let size = 1; size < 20; size++) {
    expect(await eventsOf(STREAM.match(new RegExp(`[^]{1,${size}}`, 'g'))!)).toEqual(whole)
  }
})

test('an endless line is an error', async () => {
  await expect(eventsOf(['data: ', 'x'.repeat(1_100_000)])).rejects.toThrow('too long')
})
