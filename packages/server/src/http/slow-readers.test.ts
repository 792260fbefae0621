import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isDisconnected } from '../../test/support/disconnected.ts'
import { listen } from './listen.ts'
import { READER_LIMITS, type ReaderLimits } from './slow-readers.ts'

/** More than the kernel buffers for a reader. */
const LARGE = 32 * 1024 * 1024

const BODIES: Record<string, () => BodyInit> = {
  '/text': () => 'x'.repeat(LARGE),
  '/wide': () => '日'.repeat(LARGE / 3),
  '/bytes': () => new Uint8Array(LARGE),
  '/stream': () => {
    let left = LARGE
    return new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(64 * 1024))
        left -= 64 * 1024
        if (left <= 0) controller.close()
      },
    })
  },
}

async function start(limits: Partial<ReaderLimits>) {
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    readers: { ...READER_LIMITS, lookEveryMs: 20, ...limits },
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname !== '/wait') return new Response(BODIES[pathname]!())
      await delay(1_000)
      return new Response('waited')
    },
  })
  onTestFinished(() => listener.close())
  return async (path: string, isReading: boolean, { key = 'one', times = 1 } = {}): Promise<Socket> => {
    const socket = connect(listener.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
    if (isReading) socket.resume()
    else socket.pause()
    socket.write(requestFor(path, key).repeat(times))
    return socket
  }
}

function requestFor(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n\r\n`
}

async function cut(socket: Socket): Promise<Socket> {
  await vi.waitUntil(() => isDisconnected(socket))
  return socket
}

async function openOf(sockets: Socket[]): Promise<number> {
  const hungUp = await Promise.all(sockets.map(isDisconnected))
  return hungUp.filter((isOver) => !isOver).length
}

/** How many bytes the server sent before it closed the connection. The kernel keeps them for the reader. */
async function received(socket: Socket): Promise<number> {
  let bytes = 0
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length))
  const closed = once(socket, 'close')
  socket.resume()
  await closed
  return bytes
}

test.each(Object.keys(BODIES))('a client that reads nothing is disconnected: %s', async (path) => {
  const ask = await start({ looks: 30 })
  const stalled = await ask(path, false)
  // Reads continuously, so it gets everything.
  const reading = await ask(path, false)
  let bytes = 0
  reading.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume()
  const waiting = await ask('/wait', false)
  await vi.waitFor(() => expect(bytes).toBeGreaterThan(LARGE))
  expect(await received(await cut(stalled))).toBeLessThan(LARGE)
  const [answer] = (await once(waiting.resume(), 'data')) as [Buffer]
  expect(answer.toString()).toContain('200 OK')
  expect(reading.destroyed).toBe(false)
})

test('a client that reads too slowly is disconnected', async () => {
  const ask = await start({ looks: 20, bytesTaken: 4 * 1024 * 1024 })
  const slow = await ask('/stream', false)
  let bytes = 0
  slow.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    // At most about 1.3 MB/s, while 10 MB/s are required.
    slow.pause()
    setTimeout(() => slow.resume(), 50)
  })
  slow.resume()
  await once(slow, 'close')
  expect(bytes).toBeLessThan(LARGE)
})

/** No client is too slow. */
const PATIENT = { looks: 1_000_000 }

test('when too many bytes wait in total, clients that read nothing are disconnected', async () => {
  const ask = await start({ ...PATIENT, waitingBytesPerClient: Infinity, waitingBytes: 2.5 * LARGE })
  const stalled = await Promise.all(Array.from({ length: 6 }, () => ask('/bytes', false)))
  const reading = await ask('/bytes', true)
  let bytes = 0
  reading.on('data', (chunk: Buffer) => (bytes += chunk.length))
  await vi.waitFor(() => expect(bytes).toBeGreaterThan(LARGE - 1024 * 1024))
  await vi.waitFor(async () => expect(await openOf(stalled)).toBeLessThanOrEqual(3))
  expect(await openOf([reading])).toBe(1)
})

test('limit: the waiting bytes of one key are bounded, and clients that read and other keys stay connected', async () => {
  const ask = await start({ ...PATIENT, waitingBytesPerClient: 2.5 * LARGE })
  const stalled = await Promise.all(Array.from({ length: 6 }, () => ask('/bytes', false)))
  const others = await Promise.all(Array.from({ length: 2 }, () => ask('/bytes', false, { key: 'two' })))
  const reading = await ask('/bytes', false)
  let bytes = 0
  reading.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume()
  // Two, or one while bytes wait for the reading client as well.
  await vi.waitFor(async () => expect(await openOf(stalled)).toBeLessThanOrEqual(2))
  await vi.waitFor(() => expect(bytes).toBeGreaterThan(LARGE))
  await vi.waitFor(async () => expect(await openOf([...others, reading])).toBe(3))
  await vi.waitFor(async () => expect(await openOf(stalled)).toBeGreaterThan(0))
})

test('limit: a client that has begun to read stays connected, not clients of its key that read nothing', async () => {
  const ask = await start({ ...PATIENT, lookEveryMs: 500, waitingBytesPerClient: 2.5 * LARGE })
  // The oldest connection, so that it is the first of those that seem equal.
  const reading = await ask('/text', true, { times: 0 })
  const stalled = [await ask('/text', true), await ask('/text', true)]
  for (const socket of stalled) {
    await once(socket, 'data')
    socket.pause()
  }
  let bytes = 0
  let burst = 0
  reading.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    burst += chunk.length
    // At most 25 MB/s, so that bytes are still waiting at two checks, and it reads between them.
    if (burst < 1024 * 1024) return
    burst = 0
    reading.pause()
    setTimeout(() => reading.resume(), 40)
  })
  reading.write(requestFor('/text', 'one'))
  await vi.waitFor(async () => expect(await openOf(stalled)).toBe(1))
  await vi.waitFor(() => expect(bytes).toBeGreaterThan(LARGE))
  expect(await openOf([reading])).toBe(1)
})

test('text counts by its bytes', async () => {
  const ask = await start({ ...PATIENT, waitingBytesPerClient: Infinity, waitingBytes: 2.5 * LARGE })
  const stalled = await Promise.all(Array.from({ length: 6 }, () => ask('/wide', false)))
  await vi.waitFor(async () => expect(await openOf(stalled)).toBe(2))
})

test('a response that waits behind another one on its connection counts', async () => {
  const limits = { ...PATIENT, waitingBytes: 1.5 * LARGE }
  const [ask, askAnother] = [await start(limits), await start(limits)]
  const single = await ask('/bytes', false)
  const pipelined = await askAnother('/bytes', false, { times: 2 })
  await cut(pipelined)
  expect(await openOf([single])).toBe(1)
})

test('the total of waiting bytes is also bounded between two checks', async () => {
  const ask = await start({ lookEveryMs: 1_000_000, waitingBytes: 2.5 * LARGE })
  const stalled: Socket[] = []
  for (let count = 0; count < 6; count++) stalled.push(await ask('/bytes', false))
  await vi.waitFor(async () => expect(await openOf(stalled)).toBe(2))
})
