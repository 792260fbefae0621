import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

type Options = { target: string; prefix: string; keepsPrefix: boolean }

/** A proxy that serves `target` under a path, and nothing elsewhere. Call it at the top level of a file. */
export async function startPrefixProxy({ target, prefix, keepsPrefix }: Options): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '/'
    if (!path.startsWith(`${prefix}/`)) return void outgoing.writeHead(404).end('not here')
    const onward = request(target + (keepsPrefix ? path : path.slice(prefix.length)), {
      method: incoming.method,
      headers: incoming.headers,
    })
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  // A TCP server has an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`
}
