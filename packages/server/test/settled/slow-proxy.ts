import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { SeededRandom } from '../support/seeded-random.ts'

/**
 * Between workers and APIs: each request goes to the next API, so that questions and answers take different ways. Announcements are
 * late, their responses too, and some of these are lost. Closed when the test ends.
 */
export async function startSlowProxy(targets: string[], random: SeededRandom): Promise<string> {
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const isAnnouncement = incoming.url === '/webhooks/inbox'
    const lateMs = () => (isAnnouncement && random.chance(0.3) ? random.below(120) : 0)
    const isLost = isAnnouncement && random.chance(0.05)
    const target = targets[turn++ % targets.length]!
    setTimeout(() => passOn({ target, incoming, outgoing, lateMs: lateMs(), isLost }), lateMs())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Passing = {
  target: string
  incoming: IncomingMessage
  outgoing: ServerResponse
  lateMs: number
  isLost: boolean
}

function passOn({ target, incoming, outgoing, lateMs, isLost }: Passing): void {
  const { method, headers } = incoming
  const onward = request(`${target}${incoming.url}`, { method, headers, agent: false }, (answer) => {
    setTimeout(() => {
      if (isLost) return void outgoing.destroy()
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    }, lateMs)
    answer.on('error', () => outgoing.destroy())
  })
  onward.on('error', () => outgoing.destroy())
  outgoing.on('close', () => onward.destroy())
  incoming.pipe(onward)
}
