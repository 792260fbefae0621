import { isPublicAddress } from '../../src/notify/address-rules.ts'
import { createSafeRequest } from '../../src/notify/safe-request.ts'
import { parseAllowedHosts } from '../../src/notify/webhook-url.ts'
import { startCanary } from './canary.ts'
import { HARMLESS_URLS, HOSTILE_URLS, REDIRECTS_TO, type HostileUrl } from './hostile-urls.ts'
import { followRedirects, type Redirected } from './redirects.ts'

// Runs in its own network namespace, in which every address is this machine: the canary notices every connection. Prints
// the connections by the address that was used.

type Heard = { url: string; resolvesTo: string[]; isReachable: boolean; error: string | null; heard: string[] }
export type CanaryReport = {
  guarded: Heard[]
  unguarded: Heard[]
  harmless: Heard[]
  redirects: Redirected[]
  flip: { heard: string[]; resolverCalls: number; heardWithoutPin: string[] }
  own: { guarded: Heard; unguarded: Heard }
}

const OWN_ADDRESS = '93.184.216.99'
const PUBLIC_ADDRESS = '93.184.216.34'
const POST = { headers: {}, body: '{}' }
const NO_RULES = { findUrlProblem: () => null, isPublicAddress: () => true }

const heardSoFar = await startCanary(OWN_ADDRESS)
const guarded = await askAll(HOSTILE_URLS, {})
const unguarded = await askAll(HOSTILE_URLS, { rules: NO_RULES })
const harmless = await askAll(HARMLESS_URLS, {})
const [own] = await askAll([ownUrl()], {})
const [ownUnguarded] = await askAll([ownUrl()], { rules: NO_RULES })
const report: CanaryReport = {
  guarded,
  unguarded,
  harmless,
  redirects: await followRedirects(REDIRECTS_TO, heardSoFar),
  flip: await flip(),
  own: { guarded: own!, unguarded: ownUnguarded! },
}
process.stdout.write(JSON.stringify(report), () => process.exit())

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
