import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type BareHttpOptions = { headers: [name: string, value: string][]; body: string }

/** A server that always sends the same response, to measure the cost of node:http itself. */
export async function startBareHttp({ headers, body }: BareHttpOptions): Promise<{ port: number }> {
  const bytes = Buffer.from(body)
  const server = createServer((_request, response) => {
    response.writeHead(200, headers.flat())
    response.end(bytes)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server has an AddressInfo.
  return { port: (server.address() as AddressInfo).port }
}
