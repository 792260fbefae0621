import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { canonicalAddress } from '../../src/notify/address-rules.ts'
import { CANARY_PORT, DENIED_PORTS } from './hostile-urls.ts'

/** An address that only the canary's own connections use. */
const KNOCKER = '127.99.99.99'
const PORTS = [80, 443, CANARY_PORT, ...DENIED_PORTS]
/** Only a canary that is never reached makes the test wait this long. */
const HEAR_MS_MAX = 2_000

/**
 * Makes every address this machine and listens. Only for a process in a network namespace of its own. The function that it
 * returns resolves to the addresses that were connected to since its last call.
 */
export async function startCanary(ownAddress: string): Promise<() => Promise<string[]>> {
  const commands = [
    'link set lo up',
    'route add local 0.0.0.0/0 dev lo',
    '-6 route add local ::/0 dev lo',
    `address add ${ownAddress}/32 dev lo`,
  ]
  for (const command of commands) execFileSync('ip', command.split(' '))
  let heard: string[] = []
  for (const port of PORTS) {
    const canary = createServer((socket) => {
      heard.push(canonicalAddress(socket.localAddress ?? '') ?? 'gone')
      socket.on('error', () => {}).end('HTTP/1.1 204 No Content\r\n\r\n')
    })
    canary.listen(port, '::')
    await once(canary, 'listening')
  }

  /** The kernel delivers connections in order: once our own connections arrive, all earlier ones have arrived. */
  return async () => {
    await Promise.all(PORTS.map((port) => once(connect(port, KNOCKER).resume(), 'close')))
    const deadline = Date.now() + HEAR_MS_MAX
    while (heard.filter((address) => address === KNOCKER).length < PORTS.length) {
      if (Date.now() > deadline) throw new Error('The canary is deaf.')
      await delay(1)
    }
    const others = heard.filter((address) => address !== KNOCKER)
    heard = []
    return others
  }
}
