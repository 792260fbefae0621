import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import type { DeliveredReport, DeliveryRun } from '../hostile/delivered-urls-run.ts'
import type { Counts, GeneratedReport } from '../hostile/generated-urls-run.ts'
import { isInternal } from '../hostile/generated-urls.ts'
import { HARMLESS_URLS } from '../hostile/hostile-urls.ts'
import type { Redirected } from '../hostile/redirects.ts'
import { makeTeam } from '../support/made-team.ts'
import { runInNetworkNamespace } from '../support/network-namespace.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, atMost, progress, prove, SEED } from './proof.ts'

const COUNTS: Counts = { seed: SEED, urls: 1_500, names: 100, redirects: 60 }
const STATUSES = 5
/** A quarter of the URLs have names. Of the others, some are multicast, or no URL for any parser. */
const REACHABLE_SHARE_MIN = 0.7
/** Those without names and user names. */
const ALLOWABLE_SHARE_MIN = 0.5
/** Enough for the URLs with names and the rebinding names. */
const TEAMS = 30
const ENDPOINTS_PER_TEAM = 20
const NAMED_SHARE_MIN = 0.2
/** They take a minute on a quiet machine. */
const RUN_MS_MAX = 20 * 60_000

const REACHED = 'URLs that reach an internal address'
const NOT_REFUSED = 'URLs that are not refused'
const REBOUND = 'rebinding names that reach an internal address'
const LOOKUPS = 'lookups per request'
const FOLLOWED = 'redirects that are followed'
const CREATED = 'URLs with an internal address that the API accepts'
const CONNECTED = 'connections to internal addresses: names'
const CONNECTED_LATER = 'connections to internal addresses: hosts that were allowed before'

/** In the network in which every address is this machine. Resolves to what the script prints. */
async function runScript(name: string, given: object): Promise<unknown> {
  const script = fileURLToPath(new URL(`../hostile/${name}`, import.meta.url))
  return JSON.parse(await runInNetworkNamespace(script, { given: [JSON.stringify(given)], timeoutMs: RUN_MS_MAX }))
}

const EXAMPLES_MAX = 5
let examples = 0

/** The first that failed, with their seed, so that they can be repeated. */
function report(example: string): void {
  if (examples++ < EXAMPLES_MAX) progress(`failed: ${example}`)
}

/** How many of these connected to an address other than the public ones of the grammar. */
const reaching = (heard: string[][]) => heard.filter((addresses) => addresses.some(isInternal)).length
const internal = (heard: string[]) => heard.filter(isInternal).length

test('the code that sends webhooks reaches no internal address', async () => {
  progress(`${COUNTS.urls} URLs, ${COUNTS.names} rebinding names, ${COUNTS.redirects * STATUSES} redirects`)
  // Printed by that script as this type.
  const { urls, rebinding, harmless, redirects } = (await runScript('generated-urls-run.ts', COUNTS)) as GeneratedReport
  const reachable = urls.filter(({ isReachable }) => isReachable)
  for (const [number, { url, guarded }] of urls.entries())
    if (guarded.heard.some(isInternal) || !guarded.isRefused) report(`URL ${number} of seed ${SEED}: ${url}`)
  const allowable = reachable.flatMap(({ heardIfAllowed }) => (heardIfAllowed === null ? [] : [heardIfAllowed]))
  const followed = (heard: (one: Redirected) => string[]) => redirects.filter((one) => heard(one).length > 0).length
  /** The same figures of the product and of the clients without its protection. */
  const found = (by: 'guarded' | 'unguarded') => ({
    reached: reaching(urls.map((one) => one[by].heard)),
    notRefused: urls.filter((one) => !one[by].isRefused).length,
    rebound: reaching(rebinding.map((one) => one[by].heard)),
    lookups: Math.max(...rebinding.map((one) => one[by].lookups)),
  })
  const [product, unprotected] = [found('guarded'), found('unguarded')]

  prove({
    claim: 'The code that sends webhooks connected to no internal address.',
    tried:
      'URLs from a grammar: addresses of every range in IANA’s registries that is not globally reachable, of multicast and of clouds, ' +
      'written in decimal, octal, hexadecimal, short forms, Unicode ' +
      'digits and dots and percent encoding, as IPv6 that leads to IPv4 (mapped, NAT64, 6to4, Teredo, ISATAP), with user names ' +
      'and ports, and names whose A, AAAA and CNAME records lead there. They run in a network in which every address is this ' +
      'machine, so every connection is noticed.',
    figures: [
      atLeast(
        COUNTS.urls * REACHABLE_SHARE_MIN,
        'URLs that lead an unprotected client to an internal address',
        reachable.length,
      ),
      atLeast(COUNTS.urls, 'URLs, also those that lead no client anywhere', urls.length),
      atLeast(COUNTS.names, 'names that are internal when they are resolved again', rebinding.length),
      atLeast(COUNTS.redirects * STATUSES, 'redirects (301, 302, 303, 307, 308)', redirects.length),
      atMost(0, REACHED, product.reached),
      atMost(0, NOT_REFUSED, product.notRefused),
      atMost(0, REBOUND, product.rebound),
      atMost(1, LOOKUPS, product.lookups),
      atMost(
        0,
        FOLLOWED,
        followed(({ heard }) => heard),
      ),
      atLeast(
        HARMLESS_URLS.length,
        'public URLs that are reached',
        harmless.filter(({ heard }) => heard.length === 1).length,
      ),
    ],
    control: {
      tried:
        'The same code, URLs and network without the rules; a client that checks a name and resolves it again; one that follows ' +
        'redirects; and the setting that allows the host.',
      figures: [
        atLeast(reachable.length, REACHED, unprotected.reached),
        atLeast(reachable.length, NOT_REFUSED, unprotected.notRefused),
        atLeast(rebinding.length, REBOUND, unprotected.rebound),
        atLeast(2, LOOKUPS, unprotected.lookups),
        atLeast(
          redirects.length,
          FOLLOWED,
          followed(({ heardWhenFollowed }) => heardWhenFollowed),
        ),
        atLeast(COUNTS.urls * ALLOWABLE_SHARE_MIN, 'URLs whose host can be allowed', allowable.length),
        atLeast(allowable.length, 'URLs that reach one if their host is allowed', reaching(allowable)),
      ],
    },
  })
})

test('a running program sends webhooks to no internal address', async () => {
  progress('the same URLs as endpoints of a running program')
  // Printed by that script as this type.
  const { names, addresses } = (await runScript('delivered-urls-run.ts', await prepareRun())) as DeliveredReport
  prove({
    claim: 'A running program sends webhooks to no internal address.',
    tried:
      'The same URLs and network. All URLs and rebinding names are offered as endpoints to the API of a program without WEBHOOK_ALLOWED_HOSTS. ' +
      'Two messages are sent to those that it accepts, which are names; the rebinding names are public for the first message and internal for the second. ' +
      'Another program creates endpoints of internal addresses while WEBHOOK_ALLOWED_HOSTS has their hosts, and gets a message after a restart without the setting.',
    figures: [
      atLeast(COUNTS.urls + COUNTS.names, 'URLs offered to the API', names.offered),
      atMost(0, CREATED, names.accepted),
      atLeast(COUNTS.urls * NAMED_SHARE_MIN + COUNTS.names, 'endpoints with names', names.endpoints),
      atLeast(2 * names.endpoints, 'attempts of their deliveries', names.guarded.attempts),
      atLeast(
        names.rebinding,
        'connections to public addresses, before names are rebound',
        names.guarded.heard.length - internal(names.guarded.heard),
      ),
      atMost(0, CONNECTED, internal(names.guarded.heard)),
      atLeast(TEAMS * ENDPOINTS_PER_TEAM, 'endpoints of hosts that were allowed before', addresses.endpoints),
      atLeast(addresses.endpoints, 'attempts of these deliveries', addresses.guarded.attempts),
      atMost(0, CONNECTED_LATER, internal(addresses.guarded.heard)),
    ],
    control: {
      tried:
        'The same endpoints and a message each: with a program without the rules for addresses, and before the restart, with the setting that allows the hosts.',
      figures: [
        atLeast(addresses.offered, CREATED, addresses.endpoints),
        atLeast(names.reachable, CONNECTED, internal(names.unguarded.heard)),
        atLeast(addresses.reachable, CONNECTED_LATER, internal(addresses.unguarded.heard)),
      ],
    },
  })
})

/** Two data folders with the same teams. */
async function prepareRun(): Promise<DeliveryRun> {
  const { seed, urls, names } = COUNTS
  const folder = temporaryFolder()
  const folders = { names: join(folder, 'names'), addresses: join(folder, 'addresses') }
  const teams: DeliveryRun['teams'] = []
  while (teams.length < TEAMS) {
    const domain = `team${teams.length}.test`
    const apiKey = await makeTeam({ DATA_DIR: folders.names }, { name: domain, domain, plan: 'enterprise' })
    teams.push({ apiKey, domain })
  }
  cpSync(folders.names, folders.addresses, { recursive: true })
  return { seed, urls, names, teams, endpointsPerTeam: ENDPOINTS_PER_TEAM, folders }
}
