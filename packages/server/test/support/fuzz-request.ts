import { fuzzBody, validBody } from './fuzz-body.ts'
import { fuzzProcedure } from './fuzz-procedure.ts'
import { FUZZ_OTHER_ROUTES, FUZZ_ROUTES, type FuzzRoute } from './fuzz-routes.ts'
import type { Json } from './fuzz-schema.ts'
import * as words from './fuzz-words.ts'
import { numberedRandom, type SeededRandom } from './seeded-random.ts'

export type FuzzRequest = {
  bytes: Buffer
  method: string
  target: string
  /** Nothing else may share its connection, because its end is in doubt. */
  isAlone: boolean
  /** It never ends, so the server may close the connection without a response. */
  isTruncated: boolean
  /** A header is not valid HTTP. The server responds, to most of them by closing the connection. */
  isMalformed: boolean
  /** So many of them are sent at once, and each gets its own answer. */
  copies: number
  /** Nothing is wrong with its framing, so its answer has to be one of the documented ones. */
  isPlain: boolean
  /** The route or procedure that it asks for, unless its path or method was changed. */
  operation: string | null
}
/** What exists, of the team of the keys. Requests delete some of it, so it is renewed now and then. */
export type FuzzIds = {
  team: string
  messages: string[]
  mailboxes: string[]
  webhooks: string[]
  deliveries: string[]
  keys: string[]
  scenarios: string[]
}
export type FuzzMaterial = {
  key: string
  /** Only used to rotate keys. The caller tracks its value. */
  rotatingKey: string
  readingKey: string
  secret: string
  /** The headers of browsers that are signed in to this team, and to another. */
  sessions: { cookie: string; origin: string }[]
  ids: FuzzIds
}

/** Around the limits of a URL (8 KiB) and of all headers (16 KiB). */
const LONG_CHARACTERS = [1_000, 7_900, 8_300, 15_000, 20_000]
/** Seconds. Odd values of the parameter are rarely valid. */
const SHORT_WAITS = ['0.3', '1']
/** The answer comes later, or never ends. */
const HELD = /wait|settled|stream|follow/
/** One request in so many is correct, for each operation in turn: by chance alone, a rare one may never get a valid request. */
export const CORRECT_ONE_IN = 20

/** The request with this number, which depends only on the seed. */
export function fuzzRequest({ seed, number }: { seed: number; number: number }, material: FuzzMaterial): FuzzRequest {
  const random = numberedRandom(seed, number)
  if (number % CORRECT_ONE_IN === 0) {
    return correctRequest(random, FUZZ_ROUTES[(number / CORRECT_ONE_IN) % FUZZ_ROUTES.length]!, material)
  }
  const drawn = drawnRoute(random, material)
  const { usualMethod, operation } = drawn
  const target = random.chance(0.03) ? random.pick(words.ODD_TARGETS) : drawn.target
  const method = random.chance(0.7) ? usualMethod : random.pick(random.chance(0.9) ? words.METHODS : words.ODD_METHODS)
  const version = random.chance(0.99) ? 'HTTP/1.1' : random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'http/1.1', ''])
  // Changes by a session are only accepted from a page of the same host.
  const { host } = new URL(material.sessions[0]!.origin)
  const headers = [`Host: ${random.chance(0.98) ? host : random.pick(words.HOSTS)}`]
  if (random.chance(0.005)) headers.pop()
  headers.push(...credentials(random, target, material))
  while (random.chance(0.4)) headers.push(random.pick(words.HEADERS))
  if (random.chance(0.01)) headers.push(`X-Long: ${'h'.repeat(random.pick(LONG_CHARACTERS))}`)
  const changesConnection = random.chance(0.02)
  if (changesConnection) headers.push(random.pick(words.CONNECTION_HEADERS))
  const isMalformed = random.chance(0.02)
  if (isMalformed) headers.push(random.pick(words.MALFORMED_HEADERS))

  const { lines, payload, isTruncated } = framedBody(random, method, drawn)
  const head = [`${method} ${target} ${version}`, ...headers, ...lines].join('\r\n')
  const hasPlainLine = words.METHODS.includes(method) && version === 'HTTP/1.1' && !target.includes(' ')
  const isAlone = !hasPlainLine || changesConnection || isMalformed || isTruncated
  const bytes = Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), payload])
  const copies = method === 'GET' && !isAlone && !HELD.test(target) && random.chance(0.05) ? 2 + random.below(4) : 1
  return {
    bytes: Buffer.concat(Array.from({ length: copies }, () => bytes)),
    method,
    target,
    isAlone: isAlone || copies > 1,
    isTruncated,
    isMalformed,
    copies,
    isPlain: !isAlone,
    operation: method === usualMethod && target === drawn.target ? operation : null,
  }
}

/** A request that the operation accepts, with a key that may make it. What it names may have been deleted. */
function correctRequest(random: SeededRandom, route: FuzzRoute, material: FuzzMaterial): FuzzRequest {
  const { method, required, parameters } = route
  const pairs = required.map((name) => `${name}=qa`)
  // `settled` looks for half a second without mail.
  if (parameters.includes('wait')) pairs.push('wait=1')
  const path = exactPath(random, route, material.ids, '0')
  const target = pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
  const payload = route.body ? JSON.stringify(validBody(random, route, material.ids)) : ''
  const headers = [
    `Host: ${new URL(material.sessions[0]!.origin).host}`,
    `Authorization: Bearer ${keyFor(target, material)}`,
    ...(route.body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(payload)}`] : []),
  ]
  return {
    bytes: Buffer.from([`${method} ${target} HTTP/1.1`, ...headers, '', payload].join('\r\n')),
    method,
    target,
    isAlone: false,
    isTruncated: false,
    isMalformed: false,
    copies: 1,
    isPlain: true,
    operation: nameOf(route),
  }
}

type Drawn = {
  usualMethod: string
  target: string
  body: Json
  /** How often it is sent as it is. Otherwise `fuzzBody` changes it, or not. */
  exactShare: number
  operation: string | null
}

/** Inputs of procedures are odd already. */
const EXACT_INPUTS = 0.8

/** Declared routes mostly, then procedures of the dashboard, then everything else. */
function drawnRoute(random: SeededRandom, material: FuzzMaterial): Drawn {
  if (random.chance(0.3)) return { ...fuzzProcedure(random, material), exactShare: EXACT_INPUTS }
  const route = random.pick(random.chance(0.1) ? FUZZ_OTHER_ROUTES : FUZZ_ROUTES)
  const { target, isChanged } = fuzzTarget(random, route, material)
  const body = validBody(random, route, material.ids)
  return { usualMethod: route.method, target, body, exactShare: 0, operation: isChanged ? null : nameOf(route) }
}

export function nameOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path}`
}

function fuzzTarget(
  random: SeededRandom,
  route: FuzzRoute,
  { ids }: FuzzMaterial,
): { target: string; isChanged: boolean } {
  const exact = exactPath(random, route, ids, random.pick(['0', '1', '-1', 'cid:x']))
  let path = exact
  while (random.chance(0.15)) path = random.mutated(path, words.PATH_PIECES)
  if (random.chance(0.01)) path += 'p'.repeat(random.pick(LONG_CHARACTERS))
  const pairs: string[] = []
  const names = [...route.parameters, ...route.parameters, ...words.OTHER_PARAMETERS]
  while (random.chance(0.55)) pairs.push(`${random.pick(names)}=${parameterValue(random, ids.messages)}`)
  if (route.parameters.includes('wait') && random.chance(0.5)) pairs.push(`wait=${random.pick(SHORT_WAITS)}`)
  const target = pairs.length === 0 ? path : `${path}?${pairs.join(random.chance(0.95) ? '&' : '&&')}`
  return { target, isChanged: path !== exact }
}

function exactPath(random: SeededRandom, { path }: FuzzRoute, ids: FuzzIds, attachment: string): string {
  return path
    .replace('/messages/{id}', `/messages/${random.pick(ids.messages)}`)
    .replace('/webhooks/{id}', `/webhooks/${random.pick(ids.webhooks)}`)
    .replace('/scenarios/{id}', `/scenarios/${random.pick(ids.scenarios)}`)
    .replace('{deliveryId}', random.pick(ids.deliveries))
    .replace('{index}', attachment)
    .replaceAll(/\{\w+\}/g, () => random.pick(ids.mailboxes))
}

function parameterValue(random: SeededRandom, messageIds: string[]): string {
  if (random.chance(0.1)) return random.pick(messageIds)
  if (random.chance(0.01)) return 'v'.repeat(random.pick(LONG_CHARACTERS))
  const value = random.pick(words.PARAMETER_VALUES)
  return random.chance(0.2) ? random.mutated(value, words.PATH_PIECES).replaceAll('#', '') : value
}

/** Half of all requests have valid credentials, so that they get further. */
function credentials(random: SeededRandom, target: string, material: FuzzMaterial): string[] {
  const { secret, readingKey, sessions } = material
  // Not where the sessions of the run would end.
  const isForSession = /^\/(?:trpc|app|auth)\b/.test(target) && !/sign-out|sessions|password/.test(target)
  if (isForSession && random.chance(0.85)) {
    const session = random.pick(sessions)
    return [`Cookie: ${session.cookie}`, `Origin: ${session.origin}`]
  }
  const key = keyFor(target, material)
  if (random.chance(0.7)) return [`Authorization: Bearer ${key}`]
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

function keyFor(target: string, { key, rotatingKey, secret }: FuzzMaterial): string {
  if (target.includes('inbox')) return secret
  return target.includes('rotate') ? rotatingKey : key
}

function framedBody(random: SeededRandom, method: string, { body, exactShare }: Drawn) {
  const rarelyHasBody = ['GET', 'HEAD', 'OPTIONS'].includes(method)
  if (!random.chance(rarelyHasBody ? 0.05 : 0.8)) return { lines: [], payload: Buffer.alloc(0), isTruncated: false }
  const { bytes, headers } = random.chance(exactShare)
    ? { bytes: Buffer.from(JSON.stringify(body)), headers: ['Content-Type: application/json'] }
    : fuzzBody(random, body)
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
