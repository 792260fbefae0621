import { isIP } from 'node:net'
import { READ_SCOPES, type Principal } from '../domain/access.ts'
import { AppError } from '../domain/errors.ts'
import { authenticate } from '../http/authenticate.ts'
import { requireScope } from '../http/view.ts'
import type { DoorPorts, Enter } from './door.ts'

/** The key decides what the caller sees. */
export function withKey(ports: Pick<DoorPorts, 'keys' | 'site'>): Enter {
  return (headers) => {
    refuseOtherSites(ports, headers)
    return readKey(ports, headers)
  }
}

/** Without a key, the caller sees the first team, which is the one of this machine. */
export function withoutKey(ports: Pick<DoorPorts, 'keys' | 'site' | 'inbound'>): Enter {
  return async (headers) => {
    refuseOtherHosts(ports, headers)
    refuseOtherSites(ports, headers)
    if (headers.has('authorization')) return readKey(ports, headers)
    refuseOtherPages(ports, headers)
    const team = await ports.inbound.store.findBootstrapTeam()
    if (!team) throw unauthorized()
    const scopes: Principal['scopes'] = ['api.full']
    return { keyId: 'compat', keyHash: '', keyName: 'compat', scopes, expiresAt: null, team, mailbox: null }
  }
}

async function readKey({ keys }: Pick<DoorPorts, 'keys'>, headers: Headers): Promise<Principal> {
  const authorization = headers.get('authorization')
  try {
    const principal = await authenticate(keys, authorization === null ? undefined : asBearer(authorization))
    keys.recordUse(principal.keyId)
    keys.rateLimit?.(principal.team)
    requireScope(principal, READ_SCOPES)
    return principal
  } catch (error) {
    throw error instanceof AppError && error.status === 401 ? unauthorized(error.message) : error
  }
}

/** Basic authentication has the key as its password, or as its user name if there is no password. */
function asBearer(authorization: string): string {
  const basic = readBasic(authorization)
  return basic ? `Bearer ${basic.password || basic.username}` : authorization
}

/** The name that a client with basic authentication has given itself, beside its key. */
export function usernameIn(headers: Headers): string | null {
  const basic = readBasic(headers.get('authorization') ?? '')
  return basic && basic.password !== '' && basic.password !== basic.username ? basic.username : null
}

function readBasic(authorization: string): { username: string; password: string } | null {
  const encoded = /^basic +(\S+)\s*$/i.exec(authorization)?.[1]
  if (encoded === undefined) return null
  const credentials = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = credentials.indexOf(':')
  // Some clients send only the key.
  if (colon === -1) return { username: '', password: credentials }
  return { username: credentials.slice(0, colon), password: credentials.slice(colon + 1) }
}

function unauthorized(message = 'Unauthorized'): AppError {
  return new AppError('unauthorized', message, { headers: { 'www-authenticate': 'Basic realm="Mailhatch"' } })
}

/**
 * A page of another site must not reach the door by a name that resolves to this machine. An address is not such a name.
 */
function refuseOtherHosts({ site }: Pick<DoorPorts, 'site'>, headers: Headers): void {
  const name = hostName(`http://${headers.get('host') ?? ''}`)
  const known = [site.appUrl, ...site.allowedOrigins].map(hostName)
  if (name !== null && (isLocalName(name) || known.includes(name))) return
  throw new AppError(
    'forbidden',
    'This port answers to localhost, to IP addresses and to the hosts of APP_URL and ALLOWED_API_ORIGINS. Add yours there.',
  )
}

function isLocalName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isIP(name.replace(/^\[|\]$/g, '')) !== 0
}

function hostName(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname : null
}

/**
 * Browsers may add remembered credentials to what a page of another site sends. They add an Origin if the request changes something
 * or the page wants to read the response, and Sec-Fetch-Site to any request for HTTPS or a loopback address.
 */
function refuseOtherSites({ site }: Pick<DoorPorts, 'site'>, headers: Headers): void {
  const origin = headers.get('origin')
  if (origin !== null && (site.allowedOrigins.includes(origin) || isOwn(origin, headers))) return
  const fetchSite = headers.get('sec-fetch-site')
  const isFromHere = fetchSite === null || fetchSite === 'none' || fetchSite === 'same-origin'
  if (origin === null && isFromHere) return
  throw fromOtherSite()
}

/** Some WebSocket clients that are no browsers name the server itself. */
function isOwn(origin: string, headers: Headers): boolean {
  return URL.canParse(origin) && new URL(origin).host === headers.get('host')
}

/**
 * The request of a page for an image has neither header if the port is reached by HTTP at another address. It has a Referer then,
 * unless the page asks for none. The page cannot read the response: see COMMON_HEADERS.
 */
function refuseOtherPages({ site }: Pick<DoorPorts, 'site'>, headers: Headers): void {
  const referer = headers.get('referer')
  if (referer === null) return
  if (isOwn(referer, headers)) return
  if (URL.canParse(referer) && site.allowedOrigins.includes(new URL(referer).origin)) return
  throw fromOtherSite()
}

function fromOtherSite(): AppError {
  return new AppError('forbidden', 'This request comes from another site. ALLOWED_API_ORIGINS lists those that may.')
}
