import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listen } from './listen.ts'
import { READER_LIMITS, type ReaderLimits } from './slow-readers.ts'

/** More than a machine takes on behalf of a reader. */
const LARGE = 32 * 1024 * 1024

const BODIES: Record<string, () => BodyInit> = {
  '/text': () => 'x'.repeat(LARGE),
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
  return async (path: string, isReading: boolean): Promise<Socket> => {
    const socket = connect(listener.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
    if (isReading) socket.resume()
    else socket.pause()
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
    return socket
  }
}

/** Resolves when the server has hung up, which a socket that does not read is told only when it writes. */
async function cut(socket: Socket): Promise<Socket> {
  await vi.waitUntil(async () => {
    const connections = (await readFile('/proc/self/net/tcp', 'utf8'))
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
    const port = `:${socket.localPort!.toString(16).toUpperCase().padStart(4, '0')}`
    const server = connections.find(([, , remote]) => remote?.endsWith(port))
    return server?.[3] !== ESTABLISHED
  })
  return socket
}

/** Among the states of the kernel's table of connections. */
const ESTABLISHED = '01'

/** What the server sent before it hung up; the kernel keeps it for the reader. */
async function received(socket: Socket): Promise<number> {
  let bytes = 0
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length))
  const closed = once(socket, 'close')
  socket.resume()
  await closed
  return bytes
}

test.each(Object.keys(BODIES))('a reader that takes nothing is cut: %s', async (path) => {
  const ask = await start({ looks: 30 })
  const stalled = await ask(path, false)
  // Reads all the time, so it gets everything, and nobody waits for nothing.
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

test('one that takes less than the least is cut; one that takes more is not', async () => {
  const ask = await start({ looks: 20, bytesTaken: 4 * 1024 * 1024 })
  const slow = await ask('/stream', false)
  let bytes = 0
  slow.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    // Some 1.3 MB/s at most, where 10 are asked for.
    slow.pause()
    setTimeout(() => slow.resume(), 50)
  })
  slow.resume()
  await once(slow, 'close')
  expect(bytes).toBeLessThan(LARGE)
})

test('when too much waits in all, those that take nothing are cut', async () => {
  const ask = await start({ waitingBytes: 2.5 * LARGE })
  const stalled = await Promise.all(Array.from({ length: 6 }, () => ask('/bytes', false)))
  const closed = new Set<Socket>()
  const reading = await ask('/bytes', true)
  for (const socket of stalled) socket.once('error', () => closed.add(socket)).once('end', () => closed.add(socket))
  let bytes = 0
  reading.on('data', (chunk: Buffer) => (bytes += chunk.length))
  await vi.waitFor(() => expect(bytes).toBeGreaterThan(LARGE - 1024 * 1024))
  await delay(200)
  const got = await Promise.all(
    stalled.map((socket) => Promise.race([received(socket), delay(3_000).then(() => LARGE)])),
  )
  expect(got.filter((count) => count < LARGE).length).toBeGreaterThanOrEqual(3)
})
