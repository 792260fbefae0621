import { isIP } from 'node:net'
import { AppError, type ErrorCode } from '../domain/errors.ts'
import { isPublicAddress } from './address-rules.ts'

/** Longer ones are cut by proxies and servers on the way. */
const URL_LENGTH_MAX = 2_048

/** Below 1024, only these are for the web. */
const LOW_PORTS = [80, 443]

/** Databases, queues and control planes that take an HTTP request for commands, or are never meant for strangers. */
const DENIED_PORTS = [
  1433, 1521, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5672, 5900, 5984, 6379, 6443, 6667, 9042, 9092, 9200,
  9300, 10250, 11211, 27017,
]

/** Names that end at the machine itself or in its own network. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal)$/

/** Labels of letters, digits, dashes and, as some services have them, underscores. */
const DNS_NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.|$))+$/

/** Canonical `host` and `host:port` texts, to which the rules for strangers do not apply. */
export type AllowedHosts = ReadonlySet<string>

/** Reads WEBHOOK_ALLOWED_HOSTS, a comma list; throws with what it expected. */
export function parseAllowedHosts(text: string): AllowedHosts {
  const entries = text.split(',').map((entry) => entry.trim())
  return new Set(entries.filter((entry) => entry !== '').map(canonicalEntry))
}

export type UrlProblem = { code: ErrorCode; message: string }

const INSECURE: UrlProblem = { code: 'webhook_url_insecure', message: 'Webhook URL must use HTTPS.' }
export const PRIVATE: UrlProblem = {
  code: 'webhook_url_private',
  message: 'Webhook URL must not point to a private address.',
}

/**
 * The URL in the form in which it is kept, the same for every way to write it; throws for what can be seen to be wrong
 * without asking the DNS.
 */
export function acceptWebhookUrl(text: string, allowedHosts: AllowedHosts): string {
  const problem = findUrlProblem(text, allowedHosts)
  if (problem) throw new AppError(problem.code, problem.message, { details: { url: [problem.message] } })
  const url = new URL(text)
  // Never sent.
  url.hash = ''
  // A host alone stays as people write it.
  return url.href === `${url.origin}/` && !text.endsWith('/') ? url.origin : url.href
}

export function findUrlProblem(text: string, allowedHosts: AllowedHosts): UrlProblem | null {
  if (text.length > URL_LENGTH_MAX) return invalid(`Webhook URL must have at most ${URL_LENGTH_MAX} characters.`)
  const url = URL.parse(text)
  if (!url) return invalid('Webhook URL is not a valid URL.')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return INSECURE
  if (url.username !== '' || url.password !== '')
    return invalid('Webhook URL must not contain a user name or password.')
  if (isAllowedHost(url, allowedHosts)) return null
  if (url.protocol === 'http:') return INSECURE
  if (isPrivateHost(url)) return PRIVATE
  // A name with a trailing dot is the same host by another name, which certificates and lists do not know.
  if (url.hostname.endsWith('.')) return invalid('Webhook URL must not have a dot at the end of its host.')
  if (!isIP(hostOf(url)) && !DNS_NAME.test(url.hostname))
    return invalid('Webhook URL must have a host with a valid name.')
  const port = portOf(url)
  if (port < 1024 ? !LOW_PORTS.includes(port) : DENIED_PORTS.includes(port)) {
    return invalid(`Webhook URL must not use port ${port}.`)
  }
  return null
}

export function isAllowedHost(url: URL, allowedHosts: AllowedHosts): boolean {
  return allowedHosts.has(url.hostname) || allowedHosts.has(`${url.hostname}:${portOf(url)}`)
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

/** The host as sockets want it: IPv6 without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** The URL parser has already turned every notation of an IPv4 address (octal, hexadecimal, one number) into one. */
function isPrivateHost(url: URL): boolean {
  const host = hostOf(url)
  return isIP(host) ? !isPublicAddress(host) : PRIVATE_NAME.test(host.replace(/\.+$/, ''))
}

function canonicalEntry(entry: string): string {
  const [, host, port] = /^(\[[^\]]+\]|[^:/@[\]]+)(?::(\d{1,5}))?$/.exec(entry) ?? []
  const hostname = host === undefined ? undefined : URL.parse(`http://${host}`)?.hostname
  if (!hostname || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) {
    throw new Error(`must be a comma list of host or host:port, which ${JSON.stringify(entry)} is not`)
  }
  return port === undefined ? hostname : `${hostname}:${Number(port)}`
}

function invalid(message: string): UrlProblem {
  return { code: 'validation_failed', message }
}
