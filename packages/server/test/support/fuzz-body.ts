import { gzipSync } from 'node:zlib'
import { announcement } from './announce.ts'
import type { FuzzIds } from './fuzz-request.ts'
import type { FuzzRoute } from './fuzz-routes.ts'
import { fuzzValue, type Json } from './fuzz-schema.ts'
import type { SeededRandom } from './seeded-random.ts'

export type FuzzBody = { bytes: Buffer; headers: string[] }

const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  '\r\n',
  'ü€😀',
  'a'.repeat(5_000),
  '../..',
  '%00',
  '+',
  'qa+',
  '\u202e',
  '1e999',
  'null',
  '<b>',
]
export const ODD_VALUES: Json[] = [
  null,
  true,
  0,
  -0,
  -1,
  1e308,
  2 ** 53,
  0.1,
  [],
  {},
  [[]],
  [null],
  { name: null },
  ...ODD_TEXTS,
]
/** Values that JSON.stringify would never write. */
const ODD_SOURCES = [
  '1e999',
  '-1e999',
  '0'.repeat(400),
  '"\\ud800"',
  '"\\udc00\\ud800"',
  'NaN',
  'undefined',
  '"\u0001"',
  "'x'",
  '"\\x"',
  '9'.repeat(400),
]
const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'application/json;charset=',
  'APPLICATION/JSON',
  'application/problem+json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'nonsense',
  '',
  '/',
]
/** Mailboxes that receive mail: `fuzz-0` and so on. */
export const FUZZ_MAILBOXES = 20
/** Deep enough to overflow the stack of a recursive parser. */
const DEPTH = 20_000
const WIDTH = 5_000
/** More than the API accepts on any route except the intake. */
const HUGE_BYTES = 300 * 1_024

export function fuzzBody(random: SeededRandom, valid: Json): FuzzBody {
  const source = jsonSource(random, valid)
  const headers = random.chance(0.9) ? [`Content-Type: ${contentType(random)}`] : []
  const encoders: [number, () => FuzzBody][] = [
    [0.8, () => ({ bytes: Buffer.from(source), headers })],
    [0.4, () => ({ bytes: Buffer.from(source, 'latin1'), headers })],
    [0.4, () => ({ bytes: Buffer.from(source, 'utf16le'), headers })],
    [0.4, () => ({ bytes: gzipSync(source), headers: [...headers, 'Content-Encoding: gzip'] })],
    [0.4, () => ({ bytes: Buffer.from(`\ufeff${source}`), headers })],
    [1, () => ({ bytes: Buffer.from([0xff, 0xfe, 0x00, random.below(256)]), headers })],
  ]
  return encoders.find(([probability]) => random.chance(probability))![1]()
}

const contentType = (random: SeededRandom) => (random.chance(0.8) ? CONTENT_TYPES[0]! : random.pick(CONTENT_TYPES))

function jsonSource(random: SeededRandom, valid: Json): string {
  if (random.chance(0.02)) return oversized(random)
  if (random.chance(0.25)) return JSON.stringify(valid)
  let source = JSON.stringify(mutatedValue(random, valid))
  if (random.chance(0.15)) source = source.replace(/"[^"]*"(?=[,}])/, () => random.pick(ODD_SOURCES))
  if (random.chance(0.1)) source = source.replace('{', '{"__proto__":{"isAdmin":true},"constructor":{"prototype":1},')
  if (random.chance(0.1)) source = source.replace('{', '{"name":"first","name":"second",')
  if (random.chance(0.1)) source = source.slice(0, random.below(source.length))
  return source
}

/** What the route takes. Without a declared body, an object. */
export function validBody(random: SeededRandom, route: FuzzRoute, ids: FuzzIds): Json {
  if (route.path === '/webhooks/inbox') {
    const mail = announcement({ mailbox: `fuzz-${random.below(FUZZ_MAILBOXES)}`, id: uuid(random) })
    // A round trip makes it plain JSON.
    return JSON.parse(JSON.stringify(mail)) as Json
  }
  // The name in the declaration exists after the first request.
  if (!route.body || route.path.startsWith('/v1/mailboxes')) return { name: `name-${random.below(1_000)}` }
  return fuzzValue(random, route.body, { teamId: [ids.team], id: [random.pick(ids.scenarios), uuid(random)] })
}

/** Replaces, removes or adds something somewhere in the tree. */
function mutatedValue(random: SeededRandom, value: Json): Json {
  if (value === null || typeof value !== 'object' || random.chance(0.1)) return random.pick(ODD_VALUES)
  if (Array.isArray(value)) return random.chance(0.5) ? [...value, random.pick(ODD_VALUES)] : [...value, ...value]
  const names = Object.keys(value)
  const name = random.pick(names)
  const { [name]: chosen = null, ...others } = value
  if (random.chance(0.15)) return others
  if (random.chance(0.15)) return { ...value, [random.pick(ODD_TEXTS)]: random.pick(ODD_VALUES) }
  return { ...others, [name]: mutatedValue(random, chosen) }
}

function oversized(random: SeededRandom): string {
  return random.pick([
    '['.repeat(DEPTH) + ']'.repeat(DEPTH),
    '{"a":'.repeat(DEPTH) + '1' + '}'.repeat(DEPTH),
    JSON.stringify(Object.fromEntries(Array.from({ length: WIDTH }, (_, number) => [`k${number}`, number]))),
    JSON.stringify({ ...announcement(), headers: Array.from({ length: WIDTH }, () => ({ name: 'X', value: 'y' })) }),
    JSON.stringify({ name: 'n'.repeat(HUGE_BYTES) }),
  ])
}

function uuid(random: SeededRandom): string {
  const digits = Array.from({ length: 32 }, () => random.below(16).toString(16)).join('')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5').slice(0, 36)
}
