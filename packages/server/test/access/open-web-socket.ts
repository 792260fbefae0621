import { once } from 'node:events'
import { WebSocket } from 'ws'

/** A WebSocket that is open, or was refused, and what it received. */
export function openWebSocket(url: string, headers: Record<string, string>) {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers })
  const texts: string[] = []
  const status = Promise.withResolvers<number>()
  socket.on('message', (text: Buffer) => texts.push(text.toString()))
  socket.on('open', () => status.resolve(101))
  socket.on('unexpected-response', (_, response) => status.resolve(response.statusCode!))
  // A refused one fails when it is closed.
  socket.on('error', () => {})
  return {
    status: status.promise,
    text: () => texts.join('\n'),
    /** Everything that the server sent before is there. */
    async answered(): Promise<void> {
      socket.ping()
      await once(socket, 'pong')
    },
    close: () => socket.terminate(),
  }
}
