import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

/** Among the states of the kernel's table of connections. */
const ESTABLISHED = '01'

/** Whether the server, on this machine, has hung up: a socket that does not read is told only when it writes. */
export async function isHungUp(socket: Socket): Promise<boolean> {
  const table = (await readFile('/proc/self/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/))
  const port = `:${socket.localPort!.toString(16).toUpperCase().padStart(4, '0')}`
  return table.find(([, , remote]) => remote?.endsWith(port))?.[3] !== ESTABLISHED
}
