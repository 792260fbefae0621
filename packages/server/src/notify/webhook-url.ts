import { isIP } from 'node:net'
import { AppError, type ErrorCode } from '../domain/errors.ts'
import { isPublicAddress } from './address-rules.ts'

/** Proxies and servers truncate longer URLs. */
const URL_LENGTH_MAX = 2_048

/** The only ports below 1024 that serve the web. */
const LOW_PORTS = [80, 443]

/** Databases, queues and control planes that may interpret an HTTP request as commands or are never public. */
const DENIED_PORTS = [
  1433, 1521, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5672, 5900, 5984, 6379, 6443, 6667, 9042, 9092, 9200,
  9300, 10250, 11211, 27017,
]

/** Names of the machine itself or of its network. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal)$/

/** Labels of letters, digits, hyphens and, as some services use them, underscores. */
const DNS_NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.|$))+$/

/** Canonical `host` and `host:port` strings that are exempt from the rules. */
export type AllowedHosts = ReadonlySet<string>

/** Parses WEBHOOK_ALLOWED_HOSTS, a comma-separated list. Throws an error that says what it expects. */
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
 * The URL in the form that is stored, the same for every notation. Throws if it is invalid as far as can be checked
 * without DNS.
 */
export function acceptWebhookUrl(text: string, allowedHosts: AllowedHosts): string {
  const problem = findUrlProblem(text, allowedHosts)
  if (problem) throw new AppError(problem.code, problem.message, { details: { url: [problem.message] } })
  const url = new URL(text)
  // A fragment is never sent.
  url.hash = ''
  // A bare host keeps its form without a slash.
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
  // A trailing dot makes another name for the same host, which certificates and allow lists do not contain.
  if (url.hostname.endsWith('.')) return invalid('Webhook URL must not have a trailing dot in its host.')
  if (!isIP(hostOf(url)) && !DNS_NAME.test(url.hostname)) return invalid('Webhook URL must have a valid host name.')
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

/** The host as sockets expect it: IPv6 without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** The URL parser has already normalised IPv4 notations (octal, hexadecimal, single number). */
function isPrivateHost(url: URL): boolean {
  const host = hostOf(url)
  return isIP(host) ? !isPublicAddress(host) : PRIVATE_NAME.test(host.replace(/\.+$/, ''))
}

function canonicalEntry(entry: string): string {
  const [, host, port] = /^(\[[^\]]+\]|[^:/@[\]]+)(?::(\d{1,5}))?$/.exec(entry) ?? []
  const hostname = host === undefined ? undefined : URL.parse(`http://${host}`)?.hostname
  if (!hostname || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) {
    throw new Error(`must be a comma-separated list of host or host:port; ${JSON.stringify(entry)} is neither`)
  }
  return port === undefined ? hostname : `${hostname}:${Number(port)}`
}

function invalid(message: string): UrlProblem {
  return { code: 'validation_failed', message }
}
