import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type SilentProxy = {
  url: string
  connections(): number
  /** Open connections stay open but pass no data, as if a cable were pulled. */
  silence(): void
  /** Ends all connections and accepts no more. */
  close(): Promise<void>
  /** Accepts connections again, on the same port. */
  reopen(): Promise<void>
}

/** A proxy between a client and its database. */
export async function startSilentProxy(databaseUrl: string): Promise<SilentProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('expected a TCP port')
  const { port } = address
  const url = new URL(databaseUrl)
  url.port = String(port)
  return {
    url: url.href,
    connections: () => sockets.size / 2,
    silence() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
    async reopen() {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
}
