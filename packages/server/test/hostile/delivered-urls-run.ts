import { setTimeout as delay } from 'node:timers/promises'
import { spawnServer, type ChildServer } from '../support/child-server.ts'
import { madeSecretsIn } from '../support/made-secrets.ts'
import { startNameServer } from '../support/name-server.ts'
import { preload } from '../support/preload.ts'
import { isAccepted, SmtpClient } from '../support/smtp-client.ts'
import { startCanary } from './canary.ts'
import { generatedUrls, isReachable, rebindingUrls, type GeneratedUrl } from './generated-urls.ts'

// Runs in its own network namespace, like generated-urls-run.ts: programs with endpoints of the generated URLs.

export type Team = { apiKey: string; domain: string }
export type DeliveryRun = {
  seed: number
  urls: number
  names: number
  /** Each has this many endpoints at most. */
  teams: Team[]
  endpointsPerTeam: number
  /** Two data folders that have these teams. */
  folders: { names: string; addresses: string }
}
/** The attempts of a program, and the addresses that they connected to. */
type Sent = { attempts: number; heard: string[] }
/** The same endpoints, with the product as it is and without its protection. */
type Delivered = { endpoints: number; reachable: number; guarded: Sent; unguarded: Sent }
export type DeliveredReport = {
  /** `accepted` are the URLs with an internal address for which endpoints could be created. */
  names: Delivered & { offered: number; rebinding: number; accepted: number }
  addresses: Delivered & { offered: number }
}

const OWN_ADDRESS = '93.184.216.99'
/** Every address is this machine, so the name server of the system's settings is here as well. */
const DNS = { port: 53, host: '0.0.0.0' }
/** Longer than the run: each delivery has one attempt. */
const RETRY_SECONDS = '3600'
const ATTEMPTS_MS_MAX = 120_000
const LOOK_MS = 50
const MAIL = Buffer.from('Subject: hello\r\n\r\nhello\r\n')
const REFUSALS = ['validation_failed', 'webhook_url_insecure', 'webhook_url_private']

// Given by webhooks.prove.ts as this type.
const { seed, urls, names, teams, endpointsPerTeam, folders } = JSON.parse(process.argv[2]!) as DeliveryRun
const heardSoFar = await startCanary(OWN_ADDRESS)
const nameServer = await startNameServer(DNS.port, DNS.host)
const report: DeliveredReport = { names: await sendToNames(), addresses: await sendToAddresses() }
process.stdout.write(JSON.stringify(report), () => process.exit())

/** Every URL is offered to the API. Twice, a message is sent to those that it accepts: names, of which some are rebound. */
async function sendToNames(): Promise<DeliveredReport['names']> {
  const rebinding = rebindingUrls(seed, names)
  const all = [...generatedUrls(seed, urls), ...rebinding]
  for (const { name } of all) if (name) nameServer.answer(name.host, name.answers)
  const product = await start(folders.names)
  const endpoints = await addEndpoints(product, all)
  const [first, second] = [await deliver(product, endpoints), await deliver(product, endpoints)]
  await product.stop()
  const unprotected = await start(folders.names, { nodeArguments: preload('hostile/without-url-rules.ts') })
  const unguarded = await deliver(unprotected, endpoints)
  await unprotected.stop()
  return {
    offered: all.length,
    rebinding: rebinding.length,
    accepted: endpoints.filter(({ name }) => !name).length,
    endpoints: endpoints.length,
    reachable: endpoints.filter(isReachable).length,
    guarded: { attempts: first.attempts + second.attempts, heard: [...first.heard, ...second.heard] },
    unguarded,
  }
}

/** Endpoints of hosts that a setting allows. Then the program is started without that setting. */
async function sendToAddresses(): Promise<DeliveredReport['addresses']> {
  const allowable = withoutDoubles(generatedUrls(seed, urls).filter(isAllowable))
  const offered = allowable.slice(0, teams.length * endpointsPerTeam)
  const hosts = new Set(offered.map(({ url }) => new URL(url).hostname))
  const allowing = await start(folders.addresses, { settings: { WEBHOOK_ALLOWED_HOSTS: [...hosts].join() } })
  const endpoints = await addEndpoints(allowing, offered)
  const unguarded = await deliver(allowing, endpoints)
  await allowing.stop()
  const product = await start(folders.addresses)
  const guarded = await deliver(product, endpoints)
  await product.stop()
  return {
    offered: offered.length,
    endpoints: endpoints.length,
    reachable: endpoints.filter(isReachable).length,
    guarded,
    unguarded,
  }
}

/** User names are never accepted, and the setting has the system resolve names. */
function isAllowable(one: GeneratedUrl): boolean {
  return !one.name && isReachable(one) && new URL(one.url).username === ''
}

/** A team has one endpoint of a URL, however it is spelled. */
function withoutDoubles(all: GeneratedUrl[]): GeneratedUrl[] {
  return [...new Map(all.map((one) => [new URL(one.url).href.replace(/#.*/, ''), one])).values()]
}

type StartOptions = { settings?: Record<string, string>; nodeArguments?: string[] }

async function start(dataDir: string, { settings = {}, nodeArguments = [] }: StartOptions = {}): Promise<ChildServer> {
  const fixed = { DATA_DIR: dataDir, RATE_LIMIT: 'off', METRICS: 'on', WEBHOOK_RETRY_DELAYS: RETRY_SECONDS }
  const whenOver = (kill: () => void | Promise<void>) => void process.on('exit', () => void kill())
  const server = spawnServer({ environment: { ...fixed, ...settings }, nodeArguments, whenOver })
  await server.ready
  return server
}

/** Fills one team after another. Resolves to the URLs that the API accepts. */
async function addEndpoints({ apiUrl }: ChildServer, all: GeneratedUrl[]): Promise<GeneratedUrl[]> {
  const accepted: GeneratedUrl[] = []
  for (const one of all) {
    const { apiKey } = teams[Math.floor(accepted.length / endpointsPerTeam)]!
    const response = await fetch(`${apiUrl}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: one.url }),
    })
    const text = await response.text()
    madeSecretsIn(text)
    if (response.ok) accepted.push(one)
    else if (!REFUSALS.some((code) => text.includes(code))) throw new Error(`${one.url}: ${text}`)
  }
  return accepted
}

/** One message for each team, until every endpoint had an attempt. */
async function deliver({ apiUrl, smtpPort }: ChildServer, { length: wanted }: GeneratedUrl[]): Promise<Sent> {
  const before = await countAttempts(apiUrl)
  const client = await SmtpClient.connect(smtpPort)
  for (const { domain } of teams) {
    const reply = await client.send({ to: `qa@${domain}`, raw: MAIL })
    if (!isAccepted(reply)) throw new Error(reply)
  }
  client.close()
  const deadline = performance.now() + ATTEMPTS_MS_MAX
  for (;;) {
    const attempts = (await countAttempts(apiUrl)) - before
    if (attempts >= wanted) return { attempts, heard: await heardSoFar() }
    if (performance.now() > deadline) throw new Error(`Only ${attempts} of ${wanted} attempts were made.`)
    await delay(LOOK_MS)
  }
}

/** By the metrics: failed ones and others. */
async function countAttempts(apiUrl: string): Promise<number> {
  const text = await (await fetch(`${apiUrl}/metrics`)).text()
  const counts = text.matchAll(/^mailhatch_webhook_attempts_total\{.*\} (\d+)$/gm)
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}
