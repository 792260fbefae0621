import { AuthenticationError, ConnectionError, Mailhatch, type MessageSummary } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { store, storeMany } from './support/announce.ts'
import { startFaultyProxy, type Fault } from './support/faulty-proxy.ts'
import { startServer } from './support/server.ts'

/** This many messages of the stream, which is closed then. */
async function take(stream: AsyncIterable<MessageSummary>, count: number): Promise<string[]> {
  const subjects: string[] = []
  for await (const { subject } of stream) if (subjects.push(subject) === count) break
  return subjects
}

test('a stream starts where it was opened, or after a cursor, and filters', async () => {
  const { url, apiKey } = await startServer()
  await store(url, { mailbox: 'qa', subject: 'Before' })
  let answers = 0
  const sdk = new Mailhatch({
    url,
    apiKey,
    fetch: (...request) => fetch(...request).finally(() => (answers += 1)),
  })
  const live = sdk.messages.stream({ mailbox: 'qa' })
  // The start position is known before anything is read.
  await expect.poll(() => answers).toBe(1)
  await store(url, { mailbox: 'shop', subject: 'Elsewhere' })
  await store(url, { mailbox: 'qa', subject: 'After' })
  expect(await take(live, 1)).toEqual(['After'])
  expect(await take(sdk.messages.stream({ after: 'c0' }), 3)).toEqual(['Before', 'Elsewhere', 'After'])
})

test('a stream whose connection is lost repeatedly misses nothing and repeats nothing', async () => {
  const { url, apiKey } = await startServer()
  const refusals: Fault[] = ['drop', { status: 503, headers: { 'retry-after': '0.01' } }, { status: 502 }]
  let refused = 0
  let isConnected = false
  const proxy = await startFaultyProxy(url, (_, path) => {
    if (!path.startsWith('/v1/messages/stream') || !isConnected) {
      isConnected = path.startsWith('/v1/messages/stream')
      return 'pass'
    }
    return refusals[refused++] ?? 'pass'
  })
  const sdk = new Mailhatch({ url: proxy.url, apiKey })
  const stream = sdk.messages.stream({ tag: 'x' })
  const seen: string[] = []
  const reading = (async () => {
    for await (const { subject } of stream) {
      // In the middle of the data, also right after a message.
      if (seen.push(subject) % 7 === 0) proxy.cutAll()
      if (seen.length === 40) return
    }
  })()
  await expect.poll(() => isConnected).toBe(true)
  await storeMany(url, 40, (number) => ({ tag: 'x', subject: String(number) }))
  await reading
  expect(seen).toEqual(Array.from({ length: 40 }, (_, index) => String(index + 1)))
  expect(refused).toBeGreaterThanOrEqual(refusals.length)
})

test('a stream ends with the reason of its signal, and at once if the key or the server is wrong', async () => {
  const { sdk, url } = await startServer()
  const controller = new AbortController()
  const ended = take(sdk.messages.stream({}, { signal: controller.signal }), 1)
  controller.abort(new Error('Enough'))
  await expect(ended).rejects.toThrow('Enough')
  const stranger = new Mailhatch({ url, apiKey: 'wrong' })
  await expect(take(stranger.messages.stream(), 1)).rejects.toBeInstanceOf(AuthenticationError)
  await expect(take(stranger.messages.stream({ after: 'c0' }), 1)).rejects.toBeInstanceOf(AuthenticationError)
  const nowhere = new Mailhatch({ url: 'http://127.0.0.1:2', apiKey: 'key', retries: 0 })
  await expect(take(nowhere.messages.stream(), 1)).rejects.toBeInstanceOf(ConnectionError)
  await expect(take(nowhere.messages.stream({ after: 'c0' }), 1)).rejects.toThrow('No server at')
})

test('a stream ends when its key does', async () => {
  const { sdk, url, apiKey } = await startServer()
  const ended = take(sdk.messages.stream({ after: 'c0' }), 2).catch((error: unknown) => error)
  await store(url, { subject: 'First' })
  await new Mailhatch({ url, apiKey }).apiKeys.rotate()
  expect(await ended).toBeInstanceOf(AuthenticationError)
})
