import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { canonicalAddress, isPublicAddress } from '../../src/notify/address-rules.ts'
import { createSafeRequest } from '../../src/notify/safe-request.ts'
import { parseAllowedHosts } from '../../src/notify/webhook-url.ts'
import {
  CANARY_PORT,
  DENIED_PORTS,
  HARMLESS_URLS,
  HOSTILE_URLS,
  REDIRECTS_TO,
  type HostileUrl,
} from './hostile-urls.ts'

// Runs in its own network namespace, in which every address is this machine: the canary notices every connection. Prints
// the connections by the address that was used.

type Heard = { url: string; resolvesTo: string[]; isReachable: boolean; error: string | null; heard: string[] }
export type CanaryReport = {
  guarded: Heard[]
  unguarded: Heard[]
  harmless: Heard[]
  redirects: { to: string; status: number | null; heard: string[]; heardWhenFollowed: string[] }[]
  flip: { heard: string[]; resolverCalls: number; heardWithoutPin: string[] }
  own: { guarded: Heard; unguarded: Heard }
}

const PORTS = [80, 443, CANARY_PORT, ...DENIED_PORTS]
const OWN_ADDRESS = '93.184.216.99'
const PUBLIC_ADDRESS = '93.184.216.34'
const POST = { headers: {}, body: '{}' }
const NO_RULES = { findUrlProblem: () => null, isPublicAddress: () => true }
/** Only a canary that is never reached makes the test wait this long. */
const HEAR_MS_MAX = 2_000

let heard: string[] = []

becomeTheWorld()
for (const port of PORTS) await listenOn(port)
const guarded = await askAll(HOSTILE_URLS, {})
const unguarded = await askAll(HOSTILE_URLS, { rules: NO_RULES })
const harmless = await askAll(HARMLESS_URLS, {})
const [own] = await askAll([ownUrl()], {})
const [ownUnguarded] = await askAll([ownUrl()], { rules: NO_RULES })
const report: CanaryReport = {
  guarded,
  unguarded,
  harmless,
  redirects: await followRedirects(),
  flip: await flip(),
  own: { guarded: own!, unguarded: ownUnguarded! },
}
process.stdout.write(JSON.stringify(report), () => process.exit())

function becomeTheWorld(): void {
  const commands = [
    'link set lo up',
    'route add local 0.0.0.0/0 dev lo',
    '-6 route add local ::/0 dev lo',
    `address add ${OWN_ADDRESS}/32 dev lo`,
  ]
  for (const command of commands) execFileSync('ip', command.split(' '))
}

async function listenOn(port: number): Promise<void> {
  const canary = createServer((socket) => {
    heard.push(canonicalAddress(socket.localAddress ?? '') ?? 'gone')
    socket.on('error', () => {}).end('HTTP/1.1 204 No Content\r\n\r\n')
  })
  canary.listen(port, '::')
  await once(canary, 'listening')
}

async function askAll(urls: HostileUrl[], options: { rules?: typeof NO_RULES }): Promise<Heard[]> {
  const all: Heard[] = []
  for (const { url, resolvesTo = [], isReachable } of urls) {
    const resolve = async () => resolvesTo.map(withFamily)
    const request = createSafeRequest({ allowedHosts: parseAllowedHosts(''), resolve, ...options })
    const outcome = await request(url, POST)
    const error = outcome.kind === 'failed' ? outcome.error : null
    all.push({ url, resolvesTo, isReachable, error, heard: await heardSoFar() })
  }
  return all
}

/** The kernel delivers connections in order: once our own connections arrive, all earlier ones have arrived. */
async function heardSoFar(): Promise<string[]> {
  const knocker = '127.99.99.99'
  await Promise.all(PORTS.map((port) => once(connect(port, knocker).resume(), 'close')))
  const deadline = Date.now() + HEAR_MS_MAX
  while (heard.filter((address) => address === knocker).length < PORTS.length) {
    if (Date.now() > deadline) throw new Error('The canary is deaf.')
    await delay(1)
  }
  const others = heard.filter((address) => address !== knocker)
  heard = []
  return others
}

/** The redirecting receiver may be contacted, its target may not. A client that follows reaches the canary. */
async function followRedirects(): Promise<CanaryReport['redirects']> {
  const redirector = createHttpServer((incoming, outgoing) => {
    const target = new URL(incoming.url!, 'http://redirector').searchParams
    outgoing.writeHead(Number(target.get('status')), { location: target.get('to')! }).end()
  })
  redirector.listen(0, '127.0.0.1')
  await once(redirector, 'listening')
  // A TCP server has an AddressInfo.
  const { port } = redirector.address() as AddressInfo
  const request = createSafeRequest({ allowedHosts: parseAllowedHosts(`127.0.0.1:${port}`) })
  const all: CanaryReport['redirects'] = []
  for (const to of REDIRECTS_TO) {
    for (const status of [301, 302, 303, 307, 308]) {
      const url = `http://127.0.0.1:${port}/?${new URLSearchParams({ to, status: String(status) })}`
      const outcome = await request(url, POST)
      const heardByUs = await heardSoFar()
      await fetch(url, { method: 'POST', body: '{}' }).catch(() => null)
      const answer = outcome.kind === 'responded' ? outcome.status : null
      all.push({ to, status: answer, heard: heardByUs, heardWhenFollowed: await heardSoFar() })
    }
  }
  return all
}

/** A name that is public when it is checked, and this machine when it is resolved again. */
async function flip(): Promise<CanaryReport['flip']> {
  const flippingName = () => {
    let calls = 0
    const resolve = async () => [withFamily(calls++ === 0 ? PUBLIC_ADDRESS : '127.0.0.1')]
    return { resolve, calls: () => calls }
  }
  const url = 'https://flip.example/'
  const name = flippingName()
  await createSafeRequest({ allowedHosts: parseAllowedHosts(''), resolve: name.resolve })(url, POST)
  const heardWithPin = await heardSoFar()
  // A client that checks a name and then resolves it again does this.
  const other = flippingName()
  const isGood = (await other.resolve()).every(({ address }) => isPublicAddress(address))
  const request = createSafeRequest({ allowedHosts: parseAllowedHosts(''), resolve: other.resolve, rules: NO_RULES })
  if (isGood) await request(url, POST)
  return { heard: heardWithPin, resolverCalls: name.calls(), heardWithoutPin: await heardSoFar() }
}

function ownUrl(): HostileUrl {
  return { url: `https://${OWN_ADDRESS}/`, isReachable: true }
}

function withFamily(address: string): { address: string; family: number } {
  return { address, family: address.includes(':') ? 6 : 4 }
}
