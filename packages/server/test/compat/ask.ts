import { once } from 'node:events'
import { request, type IncomingHttpHeaders } from 'node:http'
import { WebSocket } from 'ws'

type Answer = { status: number; text: string; headers: IncomingHttpHeaders }

/** A request with any headers, also those that `fetch` sets itself. */
export async function ask(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const sent = request(url, { method, headers }).end()
  const [response] = await once(sent, 'response')
  const chunks = await Array.fromAsync<Buffer>(response)
  return { status: response.statusCode, text: Buffer.concat(chunks).toString(), headers: response.headers }
}

/** The status that a request for a WebSocket gets. */
export async function askWebSocket(url: string, headers: Record<string, string> = {}): Promise<number> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers })
  const result = Promise.withResolvers<number>()
  socket.on('open', () => result.resolve(101))
  socket.on('unexpected-response', (_, response) => result.resolve(response.statusCode!))
  socket.on('error', () => {})
  const status = await result.promise
  socket.terminate()
  return status
}

export const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})
