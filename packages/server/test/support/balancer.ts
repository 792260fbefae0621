import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

const CHECK_EVERY_MS = 250

/**
 * A load balancer for TCP connections, like the one of a cloud: it asks `/ready` of each target, and connects clients to those
 * that are ready in turn. It repeats no requests: a connection that a target closes is closed for its client. `targets` are
 * URLs. Closed when the test ends.
 */
export async function startBalancer(targets: () => string[]): Promise<{ url: string }> {
  const open = new Set<Socket>()
  let ready = targets()
  let turn = 0

  async function check(): Promise<void> {
    const all = targets()
    const answers = await Promise.all(all.map(isReady))
    ready = all.filter((_, index) => answers[index])
  }

  /** A target that does not accept the connection is skipped. */
  async function connectToOne(): Promise<Socket | null> {
    for (const url of rotated(ready, turn++)) {
      const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true })
      const isConnected = await once(socket, 'connect').then(
        () => true,
        () => false,
      )
      if (isConnected) return socket
    }
    return null
  }

  const server = createServer({ noDelay: true, pauseOnConnect: true }, (client) => {
    keep(client)
    void connectToOne().then((target) => {
      if (!target || client.destroyed) {
        target?.destroy()
        return void client.destroy()
      }
      keep(target)
      client.pipe(target).pipe(client)
      client.on('close', () => target.destroy())
      target.on('close', () => client.destroy())
    })
  })

  function keep(socket: Socket): void {
    open.add(socket)
    // An error is followed by `close`.
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
  }

  let checking = Promise.resolve()
  const timer = setInterval(() => {
    checking = check()
  }, CHECK_EVERY_MS)
  onTestFinished(async () => {
    clearInterval(timer)
    await checking
    for (const socket of open) socket.destroy()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server has an AddressInfo.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function rotated(all: string[], turn: number): string[] {
  const start = all.length === 0 ? 0 : turn % all.length
  return [...all.slice(start), ...all.slice(0, start)]
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/ready`)
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}
