import { isIPv6 } from 'node:net'
import { canonicalAddress } from '../../src/notify/address-rules.ts'
import type { NameAnswer } from '../support/name-server.ts'
import { seededRandom, type SeededRandom } from '../support/seeded-random.ts'
import { leadingToV4, spelledV4, spelledV6 } from './address-spellings.ts'
import { CANARY_PORT, DENIED_PORTS } from './hostile-urls.ts'
import { bytesIn, groupsIn, SPECIAL_V4, SPECIAL_V6 } from './special-addresses.ts'

/** A URL that leads to an internal address, and what DNS says about its host. */
export type GeneratedUrl = { url: string; name?: { host: string; answers: NameAnswer[] } }

const PUBLIC = '93.184.216.34'
const PUBLIC_V6 = '2606:4700:0:0:0:0:0:1111'

/** That many different URLs. Each leads to an internal address, if the request is made at all. */
export function generatedUrls(seed: number, count: number): GeneratedUrl[] {
  const random = seededRandom(seed)
  const generated = new Map<string, GeneratedUrl>()
  while (generated.size < count) {
    const one = random.chance(0.25) ? namedUrl(random, generated.size) : { url: literalUrl(random) }
    generated.set(one.url, one)
  }
  return Array.from(generated.values())
}

/** Names that are public when they are checked and internal when they are resolved again. */
export function rebindingUrls(seed: number, count: number): GeneratedUrl[] {
  const random = seededRandom(seed)
  return Array.from({ length: count }, (_, number) => {
    const host = `rebinding-${number}.example`
    const aliases = aliasesFor(random)
    const before = { addresses: random.pick([[PUBLIC], [PUBLIC, PUBLIC_V6], [PUBLIC_V6, PUBLIC]]), aliases }
    const url = `https://${host}/`
    for (;;) {
      const after = { addresses: [internalAddress(random)], aliases }
      if (isReachable({ url, name: { host, answers: [after] } }))
        return { url, name: { host, answers: [before, after] } }
    }
  })
}

/** Where redirects lead: plain HTTP, so that a client that follows them needs no certificate, and ASCII as in a header. */
export function redirectTargets(seed: number, count: number): string[] {
  const random = seededRandom(seed)
  const targets = new Set<string>()
  while (targets.size < count) {
    const target = `http://${host(random)}/`
    if (/^[!-~]*$/.test(target) && isReachable({ url: target })) targets.add(target)
  }
  return Array.from(targets)
}

function literalUrl(random: SeededRandom): string {
  const scheme = random.pick(['https', 'https', 'https', 'HTTPS', 'hTTps', 'http'])
  const slashes = random.chance(0.9) ? '//' : random.pick(['', '/', '///', '\\\\', '/\\'])
  const user = random.chance(0.85)
    ? ''
    : random.pick(['user@', 'user:pw@', `${PUBLIC}@`, 'hooks.example@', `${PUBLIC}:443@`, '%40@', 'a%23b@'])
  const port = random.pick(['', '', '', `:${CANARY_PORT}`, ':443', ':0443', ':80', `:${random.pick(DENIED_PORTS)}`])
  const end = random.pick([
    '',
    '/',
    '/latest/meta-data/',
    `/@${PUBLIC}/`,
    `?@${PUBLIC}`,
    `#@${PUBLIC}/`,
    `\\@${PUBLIC}/`,
  ])
  const url = `${scheme}:${slashes}${user}${host(random)}${port}${end}`
  if (random.chance(0.95)) return url
  // Parsers remove these.
  return random.pick([` ${url}`, `${url}\n`, url.replace('.', '.\t'), url.replace(':', '\r:')])
}

function host(random: SeededRandom): string {
  if (random.chance(0.5)) return spelledV4(random, internalV4(random))
  return spelledV6(random, internalV6(random))
}

/** A name with an internal address: alone, among public ones, in one family only, or behind aliases. */
function namedUrl(random: SeededRandom, number: number): GeneratedUrl {
  const internal = internalAddress(random)
  const addresses = random.pick([
    [internal],
    [PUBLIC, internal],
    [internal, PUBLIC],
    [PUBLIC_V6, internal, PUBLIC],
    [PUBLIC, PUBLIC_V6, internalAddress(random), internal],
  ])
  const name = `name-${number}.example`
  const answers = [{ addresses, aliases: aliasesFor(random) }]
  return { url: `https://${name}/`, name: { host: name, answers } }
}

function aliasesFor(random: SeededRandom): string[] {
  const last = random.pick(['hooks.example', 'localhost', 'metadata.google.internal', 'a.b.c.example'])
  const chain = Array.from({ length: random.below(4) }, (_, index) => `alias-${index}.example`)
  return random.chance(0.5) ? [] : [...chain, last]
}

/** As DNS has it. */
function internalAddress(random: SeededRandom): string {
  if (random.chance(0.5)) return internalV4(random).join('.')
  return internalV6(random)
    .map((group) => group.toString(16))
    .join(':')
}

const internalV4 = (random: SeededRandom) => bytesIn(random, random.pick(SPECIAL_V4))

function internalV6(random: SeededRandom): number[] {
  if (random.chance(0.6)) return leadingToV4(random, internalV4(random))
  return groupsIn(random, random.pick(SPECIAL_V6))
}

/**
 * Every address but the public ones of this grammar, whether the product calls it internal or not. Of the product, only the
 * common form of an address is used.
 */
export function isInternal(address: string): boolean {
  const canonical = canonicalAddress(address)
  return canonical !== PUBLIC && canonical !== PUBLIC_V6
}

/**
 * Whether an unprotected client connects there. To a name, it uses the first address of the last answer, and the resolver
 * has IPv6 first.
 */
export function isReachable({ url, name }: GeneratedUrl): boolean {
  const addresses = name?.answers.at(-1)!.addresses ?? [URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? '']
  const first = canonicalAddress(addresses.find((address) => isIPv6(address)) ?? addresses[0]!)
  return first !== null && isInternal(first) && !hasNoConnections(first)
}

/** Multicast, broadcast, and link-local IPv6 without a zone. */
function hasNoConnections(address: string): boolean {
  if (isIPv6(address)) return /^(?:ff..|fe[89ab].):/.test(address)
  return /^2(?:2[4-9]|3\d)\./.test(address) || ['255.255.255.255', '127.255.255.255'].includes(address)
}
