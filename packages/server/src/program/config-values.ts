import { accessSync, constants } from 'node:fs'
import { resolve } from 'node:path'
import { parseS3Location, type S3Location } from '../bucket/s3-location.ts'
import { checkApiKey } from '../domain/api-key.ts'
import { isPlanName, type PlanName } from '../domain/plans.ts'
import { clampTimeoutMs } from '../domain/retry.ts'
import { splitHosts } from '../store/postgres-hosts.ts'
import { EXTENSIONS, type Extension } from '../worker/smtp/extensions.ts'

// Parsers for the values of settings. Each throws an error that says what it expects.

export type Storage = { kind: 'folder'; path: string } | { kind: 's3'; location: S3Location }

export function text(given: string): string {
  return given
}

export function readableFile(given: string): string {
  try {
    accessSync(given, constants.R_OK)
  } catch {
    throw new Error('must be a readable file')
  }
  return resolve(given)
}

export function resolvePath(given: string): string {
  return resolve(given)
}

export function list(given: string): string[] {
  return given
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

export function integer(min: number, max: number): (given: string) => number {
  return (given) => {
    const number = /^\d+$/.test(given) ? Number(given) : Number.NaN
    if (!(number >= min && number <= max)) throw new Error(`must be a whole number from ${min} to ${max}`)
    return number
  }
}

export function port(given: string): number {
  return integer(0, 65_535)(given)
}

export function clampedTimeout(given: string): number {
  return clampTimeoutMs(integer(0, Number.MAX_SAFE_INTEGER)(given))
}

export function oneOf<const Choices extends readonly string[]>(choices: Choices): (given: string) => Choices[number] {
  return (given) => {
    const chosen = choices.find((choice) => choice === given)
    if (chosen === undefined) throw new Error(`must be one of ${choices.join(', ')}`)
    return chosen
  }
}

export function extensions(given: string): Extension[] {
  return list(given).map((name) => {
    const known = EXTENSIONS.find((each) => each === name.toUpperCase())
    if (known === undefined) throw new Error(`unknown extension ${name}; must be some of ${EXTENSIONS.join(', ')}`)
    return known
  })
}

export function domain(given: string): string {
  const name = given.trim().toLowerCase()
  if (!/^[a-z0-9.-]+$/.test(name) || name.length > 255)
    throw new Error('must be a domain name such as mail.example.com')
  return name
}

/** With or without a user name and password. */
export function anyHttpUrl(given: string): string {
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) throw new Error('must be a URL with http:// or https://')
  return given.replace(/\/+$/, '')
}

export function httpUrl(given: string): string {
  const url = anyHttpUrl(given)
  const { username, password } = new URL(given)
  // Requests to such a URL fail, and their error repeats it.
  if (username !== '' || password !== '') throw new Error('must have no user name and no password')
  return url
}

/** Unchanged: some issuers end in a slash, and providers compare the exact string. */
export function issuerUrl(given: string): string {
  httpUrl(given)
  return given
}

export function relayUrl(given: string): string {
  if (!/^smtps?:\/\/./.test(given) || !URL.canParse(given) || new URL(given).hostname === '') {
    throw new Error('must be smtp://user:password@host:port or smtps://…')
  }
  return given
}

export function signUp(given: string): 'open' | 'invite' {
  if (given !== 'open' && given !== 'invite') throw new Error('must be open or invite')
  return given
}

/** May have several hosts. */
export function databaseUrl(given: string): string {
  if (!/^postgres(ql)?:\/\/./.test(given)) {
    throw new Error('must be postgres://user:password@host:port/database, or unset for a SQLite file in DATA_DIR')
  }
  splitHosts(given)
  return given
}

/** Notifications and locks are on one host. */
export function directDatabaseUrl(given: string): string {
  if (splitHosts(databaseUrl(given)).length > 1) throw new Error('must have one host')
  return given
}

export function secret(given: string): string {
  if (!/^\S{8,}$/.test(given)) throw new Error('must have at least 8 characters and no spaces')
  return given
}

/** As many characters as the derived key has bytes. */
const SECRET_KEY_CHARACTERS_MIN = 32

export function secretKey(given: string): string {
  if (given.length < SECRET_KEY_CHARACTERS_MIN) {
    throw new Error(
      `must have at least ${SECRET_KEY_CHARACTERS_MIN} characters, for example the output of: openssl rand -base64 32`,
    )
  }
  return given
}

/** One week. Nothing waits longer for a missed webhook. */
const RETRY_DELAY_SECONDS_MAX = 604_800
const RETRY_DELAYS_MAX = 50

/** Converts seconds to milliseconds. */
export function retryDelays(given: string): number[] {
  const seconds = list(given).map((item) => (/^\d+(\.\d+)?$/.test(item) ? Number(item) : Infinity))
  const isValid =
    seconds.length > 0 && seconds.length <= RETRY_DELAYS_MAX && Math.max(...seconds) <= RETRY_DELAY_SECONDS_MAX
  if (!isValid)
    throw new Error(
      `must be 1 to ${RETRY_DELAYS_MAX} delays in seconds, each at most ${RETRY_DELAY_SECONDS_MAX}, separated by commas`,
    )
  return seconds.map((value) => Math.round(value * 1000))
}

export function bootstrapKey(given: string): string {
  if (!/^[!-~][ -~]{18,198}[!-~]$/.test(given)) throw new Error('must have 20 to 200 printable characters')
  // Keys in our own format are refused later if their checksum is wrong.
  if (checkApiKey(given) === 'malformed') throw new Error('has the format of a Mailhatch key but a wrong checksum')
  return given
}

export function plan(given: string): PlanName {
  if (!isPlanName(given)) throw new Error('must be starter, pro or enterprise')
  return given
}

export function storage(given: string): Storage {
  if (given.startsWith('file:') && given.length > 'file:'.length) {
    return { kind: 'folder', path: resolve(given.replace(/^file:(\/\/)?/, '')) }
  }
  if (given.startsWith('s3://')) return { kind: 's3', location: parseS3Location(given) }
  throw new Error('must be file:<folder>, s3://<bucket>?…, or unset for one SQLite file in DATA_DIR')
}
