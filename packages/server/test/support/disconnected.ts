import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

/** States in the kernel's table of connections. */
const ESTABLISHED = '01'

/** Whether the server, on this machine, has disconnected. A socket that does not read only notices when it writes. */
export async function isDisconnected({ localPort, remotePort }: Socket): Promise<boolean> {
  const table = (await readFile('/proc/self/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/))
  // Both ports, because the system reuses a client's port for another server while the old connection lingers.
  const [server, client] = [endOf(remotePort!), endOf(localPort!)]
  return table.find(([, local, remote]) => local?.endsWith(server) && remote?.endsWith(client))?.[3] !== ESTABLISHED
}

function endOf(port: number): string {
  return `:${port.toString(16).toUpperCase().padStart(4, '0')}`
}
