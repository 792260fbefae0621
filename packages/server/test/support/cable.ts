import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A connection to a server that can be unplugged: connections stay open on both ends, but no data passes. */
export async function startCable(target: string) {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let isPulled = false

  function hold(socket: Socket): void {
    sockets.add(socket)
    if (isPulled) socket.pause()
    // An error is followed by `close`; the listener keeps it from ending the process.
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }

  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) })
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => to.write(bytes))
      from.on('close', () => to.destroy())
      hold(from)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  // A TCP server has an AddressInfo.
  const { port: nearPort } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${nearPort}`,
    pull() {
      isPulled = true
      for (const socket of sockets) socket.pause()
    },
    /** Delayed data arrives now. */
    plugIn() {
      isPulled = false
      for (const socket of sockets) socket.resume()
    },
  }
}
