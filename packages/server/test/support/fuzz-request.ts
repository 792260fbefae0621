import { fuzzBody } from './fuzz-body.ts'
import * as words from './fuzz-words.ts'
import { seededRandom, type SeededRandom } from './seeded-random.ts'

export type FuzzRequest = {
  bytes: Buffer
  method: string
  target: string
  /** Nothing else may share its connection, because its end is in doubt. */
  isAlone: boolean
  /** It never ends, so the server may close the connection without a response. */
  isTruncated: boolean
}
export type FuzzMaterial = {
  key: string
  /** Only used to rotate keys. The caller tracks its value. */
  rotatingKey: string
  readingKey: string
  secret: string
  messageIds: string[]
  mailboxIds: string[]
}

/** Around the limits of a URL (8 KiB) and of all headers (16 KiB). */
const LONG_CHARACTERS = [1_000, 7_900, 8_300, 15_000, 20_000]
/** Far apart, so that the requests of one seed do not overlap with those of the next. */
const SEED_STRIDE = 1_000_003

/** The request with this number, which depends only on the seed. */
export function fuzzRequest({ seed, number }: { seed: number; number: number }, material: FuzzMaterial): FuzzRequest {
  const random = seededRandom(seed * SEED_STRIDE + number)
  const [usualMethod = '', path = ''] = random.pick(words.ROUTES).split(' ')
  const target = fuzzTarget(random, path, material)
  const method = random.chance(0.7) ? usualMethod : random.pick(random.chance(0.9) ? words.METHODS : words.ODD_METHODS)
  const version = random.chance(0.99) ? 'HTTP/1.1' : random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'http/1.1', ''])
  const headers = [`Host: ${random.chance(0.98) ? 'localhost' : random.pick(words.HOSTS)}`]
  if (random.chance(0.005)) headers.pop()
  headers.push(...credentials(random, target, material))
  while (random.chance(0.4)) headers.push(random.pick(words.HEADERS))
  if (random.chance(0.01)) headers.push(`X-Long: ${'h'.repeat(random.pick(LONG_CHARACTERS))}`)
  const changesConnection = random.chance(0.02)
  if (changesConnection) headers.push(random.pick(words.CONNECTION_HEADERS))
  const isMalformed = random.chance(0.02)
  if (isMalformed) headers.push(random.pick(words.MALFORMED_HEADERS))

  const { lines, payload, isTruncated } = framedBody(random, { method, target })
  const head = [`${method} ${target} ${version}`, ...headers, ...lines].join('\r\n')
  const isPlain = words.METHODS.includes(method) && version === 'HTTP/1.1' && !target.includes(' ')
  return {
    bytes: Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), payload]),
    method,
    target,
    isAlone: !isPlain || changesConnection || isMalformed || isTruncated,
    isTruncated: isTruncated || isMalformed,
  }
}

function fuzzTarget(random: SeededRandom, route: string, { messageIds, mailboxIds }: FuzzMaterial): string {
  if (random.chance(0.03)) return random.pick(words.ODD_TARGETS)
  let path = route.replace('{message}', random.pick(messageIds)).replace('{mailbox}', random.pick(mailboxIds))
  while (random.chance(0.15)) path = random.mutated(path, words.PATH_PIECES)
  if (random.chance(0.01)) path += 'p'.repeat(random.pick(LONG_CHARACTERS))
  const pairs: string[] = []
  while (random.chance(0.55)) pairs.push(`${random.pick(words.PARAMETERS)}=${parameterValue(random, messageIds)}`)
  return pairs.length === 0 ? path : `${path}?${pairs.join(random.chance(0.95) ? '&' : '&&')}`
}

function parameterValue(random: SeededRandom, messageIds: string[]): string {
  if (random.chance(0.1)) return random.pick(messageIds)
  if (random.chance(0.01)) return 'v'.repeat(random.pick(LONG_CHARACTERS))
  const value = random.pick(words.PARAMETER_VALUES)
  return random.chance(0.2) ? random.mutated(value, words.PATH_PIECES).replaceAll('#', '') : value
}

/** Half of all requests have valid credentials, so that they get further. */
function credentials(random: SeededRandom, target: string, material: FuzzMaterial): string[] {
  const { secret, readingKey } = material
  const key = target.includes('rotate') ? material.rotatingKey : material.key
  if (random.chance(0.7)) return [`Authorization: Bearer ${target.includes('inbox') ? secret : key}`]
  if (random.chance(0.3)) return [`Authorization: Bearer ${readingKey}`]
  return random.pick([
    [],
    [`Authorization: Bearer ${secret}`],
    ['Authorization:'],
    ['Authorization: Bearer'],
    [`Authorization: bearer  ${key}`],
    [`Authorization: Basic ${key}`],
    [`Authorization: Bearer ${key.slice(1)}`],
    [`Authorization: Bearer ${key}\x80`],
    [`Authorization: Bearer ${key}`, 'Authorization: Bearer other'],
    ['Authorization: Bearer other', `Authorization: Bearer ${key}`],
    [`Authorization: Bearer ${'k'.repeat(5_000)}`],
  ])
}

function framedBody(random: SeededRandom, { method, target }: { method: string; target: string }) {
  const rarelyHasBody = ['GET', 'HEAD', 'OPTIONS'].includes(method)
  if (!random.chance(rarelyHasBody ? 0.05 : 0.8)) return { lines: [], payload: Buffer.alloc(0), isTruncated: false }
  const { bytes, headers } = fuzzBody(random, target)
  if (random.chance(0.02)) {
    const lines = [...headers, `Content-Length: ${bytes.length + 1 + random.below(1_000)}`]
    return { lines, payload: bytes, isTruncated: true }
  }
  if (random.chance(0.9)) {
    return { lines: [...headers, `Content-Length: ${bytes.length}`], payload: bytes, isTruncated: false }
  }
  const isTruncated = random.chance(0.2)
  return { lines: [...headers, 'Transfer-Encoding: chunked'], payload: chunked(bytes, { isTruncated }), isTruncated }
}

function chunked(bytes: Buffer, { isTruncated }: { isTruncated: boolean }): Buffer {
  const half = Math.ceil(bytes.length / 2)
  const chunks = [bytes.subarray(0, half), bytes.subarray(half)].filter((chunk) => chunk.length > 0)
  const written = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...written, Buffer.from(isTruncated ? 'zz\r\n' : '0\r\n\r\n')])
}
