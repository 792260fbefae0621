import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type ReceivedRequest = { method: string; path: string; authorization: string | undefined; body: unknown }
export type GivenResponse = { status: number; body: string | object } | 'nothing'

/** A double of an external server: records every request and responds on demand. */
export async function startDouble(say: (heard: ReceivedRequest) => GivenResponse) {
  const heard: ReceivedRequest[] = []
  const double = { url: '', heard, say, close }
  const server = createServer((request, response) => {
    void text(request).then((content) => {
      const question: ReceivedRequest = {
        method: request.method ?? '',
        path: request.url ?? '',
        authorization: request.headers.authorization,
        body: content === '' ? null : JSON.parse(content),
      }
      heard.push(question)
      const said = double.say(question)
      // The client has to time out.
      if (said === 'nothing') return
      response.writeHead(said.status, { 'content-type': 'application/json' })
      response.end(typeof said.body === 'string' ? said.body : JSON.stringify(said.body))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server has an AddressInfo.
  double.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return double

  async function close(): Promise<void> {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
}

export type Double = Awaited<ReturnType<typeof startDouble>>
