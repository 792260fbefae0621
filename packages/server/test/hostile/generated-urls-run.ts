import { createPublicResolver } from '../../src/notify/resolve-host.ts'
import { createSafeRequest, type SafeOutcome, type SafeRequest } from '../../src/notify/safe-request.ts'
import { parseAllowedHosts } from '../../src/notify/webhook-url.ts'
import { startNameServer } from '../support/name-server.ts'
import { startCanary } from './canary.ts'
import {
  generatedUrls,
  isInternal,
  isReachable,
  rebindingUrls,
  redirectTargets,
  type GeneratedUrl,
} from './generated-urls.ts'
import { HARMLESS_URLS } from './hostile-urls.ts'
import { followRedirects, type Redirected } from './redirects.ts'

// Runs in its own network namespace, like canary-run.ts, with a name server of its own.

export type Counts = { seed: number; urls: number; names: number; redirects: number }
/** What a request came to: the addresses that were connected to, and how often the name was resolved. */
type Tried = { heard: string[]; isRefused: boolean; lookups: number }
/** By the product, and by the same code without its rules. */
type Compared = { url: string; guarded: Tried; unguarded: Tried }
export type GeneratedReport = {
  urls: (Compared & { isReachable: boolean; heardIfAllowed: string[] | null })[]
  rebinding: Compared[]
  harmless: { url: string; heard: string[] }[]
  redirects: Redirected[]
}

const OWN_ADDRESS = '93.184.216.99'
const DNS_PORT = 5_353
const POST = { headers: {}, body: '{}' }
const NO_RULES = { findUrlProblem: () => null, isPublicAddress: () => true }
const NONE_ALLOWED = parseAllowedHosts('')

// Given by runGenerated as this type.
const { seed, urls, names, redirects } = JSON.parse(process.argv[2]!) as Counts
const heardSoFar = await startCanary(OWN_ADDRESS)
const nameServer = await startNameServer(DNS_PORT)
const resolve = createPublicResolver([`127.0.0.1:${DNS_PORT}`])
const guarded = createSafeRequest({ allowedHosts: NONE_ALLOWED, resolve })
const unguarded = createSafeRequest({ allowedHosts: NONE_ALLOWED, resolve, rules: NO_RULES })

const report: GeneratedReport = { urls: [], rebinding: [], harmless: [], redirects: [] }
for (const one of generatedUrls(seed, urls)) report.urls.push(await tryUrl(one))
for (const one of rebindingUrls(seed, names)) report.rebinding.push(await rebind(one))
for (const { url, resolvesTo } of HARMLESS_URLS) {
  if (resolvesTo)
    nameServer.answer(new URL(url).hostname, [{ addresses: ['93.184.216.34', '2606:4700:0:0:0:0:0:1111'] }])
  await guarded(url, POST)
  report.harmless.push({ url, heard: await heardSoFar() })
}
report.redirects = await followRedirects(redirectTargets(seed, redirects), heardSoFar)
process.stdout.write(JSON.stringify(report), () => process.exit())

async function tryWith(request: SafeRequest, { url, name }: GeneratedUrl): Promise<Tried> {
  if (name) nameServer.answer(name.host, name.answers)
  const outcome = await request(url, POST)
  const isRefused = outcome.kind === 'failed' && outcome.error.startsWith('Webhook URL ')
  return { heard: await heardSoFar(), isRefused, lookups: name ? nameServer.timesAsked(name.host) : 0 }
}

async function tryUrl(one: GeneratedUrl): Promise<GeneratedReport['urls'][number]> {
  return {
    url: one.url,
    guarded: await tryWith(guarded, one),
    unguarded: await tryWith(unguarded, one),
    isReachable: isReachable(one),
    heardIfAllowed: await allow(one),
  }
}

/** The same request with WEBHOOK_ALLOWED_HOSTS. Null for names, which then come from the system, and for user names. */
async function allow({ url, name }: GeneratedUrl): Promise<string[] | null> {
  const parsed = URL.parse(url)
  if (name || !parsed || parsed.username !== '') return null
  await createSafeRequest({ allowedHosts: parseAllowedHosts(parsed.hostname) })(url, POST)
  return heardSoFar()
}

async function rebind(one: GeneratedUrl): Promise<Compared> {
  return { url: one.url, guarded: await tryWith(guarded, one), unguarded: await tryWith(checkingFirst, one) }
}

/** A client that checks a name and then resolves it again. */
async function checkingFirst(url: string, post: typeof POST): Promise<SafeOutcome> {
  const addresses = await resolve(new URL(url).hostname)
  if (addresses.some(({ address }) => isInternal(address))) return { kind: 'failed', error: 'Webhook URL is internal.' }
  return unguarded(url, post)
}
