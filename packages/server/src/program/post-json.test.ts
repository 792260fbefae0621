import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { postJson } from './post-json.ts'

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const post = (url: string, timeoutMs = 20_000) =>
  postJson(url, { headers: { authorization: 'Bearer t' }, body: '{"a":"é"}', signal: AbortSignal.timeout(timeoutMs) })

test.each([200, 308, 401, 407, 421, 599])('a %i is returned unchanged after one request', async (status) => {
  const bodies: string[] = []
  const url = await serve((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      bodies.push(`${request.method} ${request.headers.authorization} ${body}`)
      response.writeHead(status, { location: '/elsewhere' }).end('why')
    })
  })
  expect(await post(url)).toEqual({ status, text: 'why', location: '/elsewhere' })
  expect(bodies).toEqual(['POST Bearer t {"a":"é"}'])
})

test.each<[string, RequestListener]>([
  ['a request without a response', () => {}],
  ['a response that never ends', (_, response) => void response.writeHead(200).write('begin')],
])('%s ends after the timeout', async (_, answer) => {
  await expect(post(await serve(answer), 200)).rejects.toMatchObject({ name: 'TimeoutError' })
})

test('a closed connection is one attempt, even if the connection was used before', async () => {
  let requests = 0
  const url = await serve((request, response) => {
    requests++
    if (requests === 2) return void request.socket.destroy()
    // To be read whole, or the connection is not used again.
    request.resume().once('end', () => response.end('ok'))
  })
  expect(await post(url)).toMatchObject({ status: 200 })
  await expect(post(url)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(requests).toBe(2)
})

test('an endless response is read only as far as needed', async () => {
  const url = await serve((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(16 * 1024))) {
        // Until the reader stops.
      }
    }
    response.on('drain', more)
    more()
  })
  const { text } = await post(url)
  expect(text).toBe('x'.repeat(64 * 1024))
})

test('a switch of protocols is a status like any other, and does not hang', async () => {
  const url = await serve((_, response) => {
    response.socket!.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n')
  })
  expect(await post(url)).toMatchObject({ status: 101 })
})

test('the error of a refused connection names the code, also for a host with several addresses', async () => {
  const url = await serve(() => {})
  const { port } = new URL(url)
  await expect(post(`http://localhost:${Number(port) === 1 ? 2 : 1}`)).rejects.toThrow(/ECONNREFUSED/)
})
