import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import { isPublicAddress } from '../../src/notify/address-rules.ts'
import type { Counts, GeneratedReport } from '../hostile/generated-urls-run.ts'
import { runInNetworkNamespace } from '../support/network-namespace.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

const COUNTS: Counts = { seed: SEED, urls: 1_500, names: 100, redirects: 60 }
/** It takes a minute on a quiet machine. */
const RUN_MS_MAX = 20 * 60_000
const SCRIPT = fileURLToPath(new URL('../hostile/generated-urls-run.ts', import.meta.url))

/** Connections to addresses that are not public. */
const internal = (heard: string[]) => heard.filter((address) => !isPublicAddress(address))
const reaching = <Tried>(tried: Tried[], heard: (one: Tried) => string[]) =>
  tried.filter((one) => internal(heard(one)).length > 0).length

test('webhooks reach no internal address', async () => {
  progress(`${COUNTS.urls} URLs, ${COUNTS.names} rebinding names, ${COUNTS.redirects * 5} redirects`)
  // Printed by that script as this type.
  const { urls, rebinding, harmless, redirects } = JSON.parse(
    await runInNetworkNamespace(SCRIPT, { given: [JSON.stringify(COUNTS)], timeoutMs: RUN_MS_MAX }),
  ) as GeneratedReport
  const reachable = urls.filter(({ isReachable }) => isReachable)
  const allowable = reachable.flatMap(({ heardIfAllowed }) => (heardIfAllowed === null ? [] : [heardIfAllowed]))

  prove({
    claim: 'A webhook never connects to an internal address.',
    tried:
      'URLs from a grammar: addresses of every internal range, written in decimal, octal, hexadecimal, short forms, Unicode ' +
      'digits and dots and percent encoding, as IPv6 that leads to IPv4 (mapped, NAT64, 6to4, Teredo, ISATAP), with user names ' +
      'and ports, and names whose A, AAAA and CNAME records lead there. They run in a network in which every address is this ' +
      'machine, so every connection is noticed.',
    figures: [
      atLeast(COUNTS.urls, 'URLs', urls.length),
      atLeast(COUNTS.names, 'names that are internal when they are resolved again', rebinding.length),
      atLeast(COUNTS.redirects * 5, 'redirects (301, 302, 303, 307, 308)', redirects.length),
      atMost(
        0,
        'URLs that reach an internal address',
        reaching(urls, ({ heard }) => heard),
      ),
      atMost(0, 'URLs that are not refused', urls.filter(({ error }) => !error?.startsWith('Webhook URL ')).length),
      atMost(
        0,
        'rebinding names that reach an internal address',
        reaching(rebinding, ({ heard }) => heard),
      ),
      atMost(1, 'lookups per request', Math.max(...rebinding.map(({ timesAsked }) => timesAsked))),
      atMost(0, 'redirects that are followed', redirects.filter(({ heard }) => heard.length > 0).length),
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
        atLeast(
          reachable.length,
          'URLs that reach an internal address',
          reaching(reachable, ({ heardWithoutRules }) => heardWithoutRules),
        ),
        atLeast(
          rebinding.length,
          'rebinding names that reach one',
          reaching(rebinding, ({ heardWithoutRules }) => heardWithoutRules),
        ),
        atLeast(
          redirects.length,
          'redirects that reach one',
          reaching(redirects, ({ heardWhenFollowed }) => heardWhenFollowed),
        ),
        atLeast(
          allowable.length,
          'URLs that reach one if their host is allowed',
          reaching(allowable, (heard) => heard),
        ),
      ],
    },
  })
})
