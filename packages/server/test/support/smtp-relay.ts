import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A port that leads to an SMTP server and knows when the server accepted the last mail. */
export async function startSmtpRelay(serverPort: number) {
  let acceptedAt: number | null = null
  const server = createServer((near) => {
    const far = connect(serverPort, '127.0.0.1')
    let isContent = false
    far.on('data', (replies: Buffer) => {
      for (const line of replies.toString('latin1').split('\r\n')) {
        if (isContent && line.startsWith('250')) acceptedAt = performance.now()
        if (line !== '') isContent = line.startsWith('354')
      }
    })
    near.pipe(far).pipe(near)
    // An error is followed by `close`, and a client may end without saying goodbye.
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  // A TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    port,
    /** When the "250" of the last mail passed, by `performance.now()`. */
    acceptedAt: () => {
      if (acceptedAt === null) throw new Error('No mail was accepted.')
      return acceptedAt
    },
  }
}
