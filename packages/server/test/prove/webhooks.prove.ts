import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import type { Counts, GeneratedReport } from '../hostile/generated-urls-run.ts'
import { isInternal } from '../hostile/generated-urls.ts'
import type { Redirected } from '../hostile/redirects.ts'
import { runInNetworkNamespace } from '../support/network-namespace.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

const COUNTS: Counts = { seed: SEED, urls: 1_500, names: 100, redirects: 60 }
/** It takes a minute on a quiet machine. */
const RUN_MS_MAX = 20 * 60_000
const SCRIPT = fileURLToPath(new URL('../hostile/generated-urls-run.ts', import.meta.url))

const REACHED = 'URLs that reach an internal address'
const NOT_REFUSED = 'URLs that are not refused'
const REBOUND = 'rebinding names that reach an internal address'
const LOOKUPS = 'lookups per request'
const FOLLOWED = 'redirects that are followed'

/** How many of these connected to an address other than the public ones of the grammar. */
const reaching = (heard: string[][]) => heard.filter((addresses) => addresses.some(isInternal)).length

test('webhooks reach no internal address', async () => {
  progress(`${COUNTS.urls} URLs, ${COUNTS.names} rebinding names, ${COUNTS.redirects * 5} redirects`)
  // Printed by that script as this type.
  const { urls, rebinding, harmless, redirects } = JSON.parse(
    await runInNetworkNamespace(SCRIPT, { given: [JSON.stringify(COUNTS)], timeoutMs: RUN_MS_MAX }),
  ) as GeneratedReport
  const reachable = urls.filter(({ isReachable }) => isReachable)
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
    claim: 'A webhook never connects to an internal address.',
    tried:
      'URLs from a grammar: addresses of every range in IANA’s registries that is not globally reachable, of multicast and of clouds, ' +
      'written in decimal, octal, hexadecimal, short forms, Unicode ' +
      'digits and dots and percent encoding, as IPv6 that leads to IPv4 (mapped, NAT64, 6to4, Teredo, ISATAP), with user names ' +
      'and ports, and names whose A, AAAA and CNAME records lead there. They run in a network in which every address is this ' +
      'machine, so every connection is noticed.',
    figures: [
      counted('URLs', urls.length),
      counted('names that are internal when they are resolved again', rebinding.length),
      counted('redirects (301, 302, 303, 307, 308)', redirects.length),
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
        harmless.length,
        'public URLs that are reached',
        harmless.filter(({ heard }) => heard.length === 1).length,
      ),
    ],
    control: {
      tried:
        'The same code, URLs and network without the rules; a client that checks a name and resolves it again; one that follows ' +
        'redirects; and the setting that allows the host.',
      figures: [
        counted('URLs that an unprotected client can connect to', reachable.length),
        atLeast(reachable.length, REACHED, unprotected.reached),
        atLeast(reachable.length, NOT_REFUSED, unprotected.notRefused),
        atLeast(rebinding.length, REBOUND, unprotected.rebound),
        atLeast(2, LOOKUPS, unprotected.lookups),
        atLeast(
          redirects.length,
          FOLLOWED,
          followed(({ heardWhenFollowed }) => heardWhenFollowed),
        ),
        atLeast(allowable.length, 'URLs that reach one if their host is allowed', reaching(allowable)),
      ],
    },
  })
})
