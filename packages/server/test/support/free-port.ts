import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the range of ephemeral ports, so that the system does not assign one while its user is stopped. */
const PORTS = { first: 20_000, end: 32_000 }

/**
 * A TCP port for a server that must come back on the same one. No other call gets it, in this process or another, until
 * this process ends.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.end)
    if (!(await claim(port))) continue
    const server = createServer().listen(port, '127.0.0.1')
    if (!(await succeeds(once(server, 'listening')))) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** Who holds the UDP port of this number may use the TCP port. The system gives it to one process, and takes it back. */
async function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  socket.bind(port, '127.0.0.1')
  const isOurs = await succeeds(once(socket, 'listening'))
  if (isOurs) socket.unref()
  else socket.close()
  return isOurs
}

/** False if the port is in use. */
async function succeeds(listening: Promise<unknown>): Promise<boolean> {
  try {
    await listening
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return false
  }
}
