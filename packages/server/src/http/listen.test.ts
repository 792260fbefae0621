import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listen } from './listen.ts'

/** Every way in which Node hands a connection over: to a handler, to none, or back with an error. */
const REQUESTS: Record<string, string> = {
  'a request': 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
  CONNECT: 'CONNECT localhost:25 HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'CONNECT with more behind it': `CONNECT localhost:25 HTTP/1.1\r\nHost: localhost\r\n\r\n${'x'.repeat(100_000)}`,
  'CONNECT after a request': 'GET / HTTP/1.1\r\nHost: a\r\n\r\nCONNECT b:1 HTTP/1.1\r\nHost: b\r\n\r\n',
  'an upgrade': 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'an unknown expectation': 'POST / HTTP/1.1\r\nHost: localhost\r\nExpect: much\r\nContent-Length: 5\r\n\r\nhello',
  'half a request': 'GET / HTTP/1.1\r\nHost: loc',
  'half a body': 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\nhello',
  'no HTTP': 'EHLO localhost\r\n\r\n',
  'too many headers': `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
  nothing: '',
}

async function start(fetchHere: () => Response | Promise<Response> = () => new Response('hello')) {
  const listener = await listen({ host: '127.0.0.1', port: 0, fetch: fetchHere })
  onTestFinished(() => listener.close())
  const isWell = async () => (await (await fetch(`http://127.0.0.1:${listener.port}/`)).text()) === 'hello'
  async function open(request: string): Promise<Socket> {
    const socket = connect(listener.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(request)
    return socket
  }
  return { listener, isWell, open }
}

const cases = Object.entries(REQUESTS).map(([name, request]) => ({ name, request }))

// An error that the server does not handle is an unhandled error of this process, which fails the test.
test.each(cases)('clients that reset their connection do not end the server: $name', async ({ request }) => {
  const { isWell, open } = await start()
  for (let round = 0; round < 20; round++) {
    const [atOnce, later] = await Promise.all([open(request), open(request)])
    atOnce.resetAndDestroy()
    await isWell()
    later.resetAndDestroy()
  }
  expect(await isWell()).toBe(true)
})

test.each(cases)('a client that keeps its connection open does not prevent a stop: $name', async ({ request }) => {
  const { listener, open } = await start()
  const socket = await open(request)
  let text = ''
  socket.on('data', (data: Buffer) => (text += data.toString()))
  // A refused client has read the reason.
  const isRefused = /CONNECT|EHLO/.test(request)
  await vi.waitUntil(() => !isRefused || text.includes('"requestId"'))
  await expect(listener.close()).resolves.toBeUndefined()
})

test('bytes that are no HTTP get an error, but none that could be read as a part of an answer', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<Response>()
  const { open } = await start(() => {
    asked.resolve()
    return answer.promise
  })
  onTestFinished(() => answer.resolve(new Response('too late')))
  async function textOf(socket: Socket): Promise<string> {
    const texts: string[] = []
    socket.on('data', (data: Buffer) => texts.push(data.toString()))
    await once(socket, 'close')
    return texts.join('')
  }
  expect(await textOf(await open(REQUESTS['no HTTP']!))).toContain('"requestId"')
  const waiting = await open(REQUESTS['a request']!)
  await asked.promise
  waiting.write(REQUESTS['no HTTP']!)
  expect(await textOf(waiting)).toBe('')
})
