import { AppError } from '../domain/errors.ts'
import type { Log } from '../observe/log.ts'
import { hashToken, SESSION_MS } from '../manage/sessions.ts'
import type { SignedIn } from '../store/accounts.ts'
import type { Store } from '../store/store.ts'
import { cookieName, isSecure, readCookie } from './session-cookie.ts'

/** How often the last use is written. Dashboards send requests all the time. */
const USE_WRITTEN_EVERY_MS = 3_600_000
/** Longer than any token that we create. */
const TOKEN_CHARACTERS_MAX = 100

export type SessionPorts = {
  store: Pick<Store, 'findSession' | 'recordSessionUse'>
  now: () => number
  /** The public URL, if it is known. */
  site: { appUrl?: string | null }
  observe: { log: Pick<Log, 'error'> }
}

export type OriginPorts = { appUrl?: string | null; allowedOrigins: string[] }

/** Finds the user by the session cookie, with their current team and role. Null if there is no session. */
export async function findSession(
  { store, now, site, observe }: SessionPorts,
  request: Request,
): Promise<SignedIn | null> {
  const token = readCookie(request, cookieName(site))
  if (token === null || token.length > TOKEN_CHARACTERS_MAX) return null
  const at = now()
  const found = await store.findSession(hashToken(token), at)
  if (!found) return null
  const { signedIn, lastSeenAt } = found
  if (at - lastSeenAt >= USE_WRITTEN_EVERY_MS) {
    const use = { lastSeenAt: at, expiresAt: at + SESSION_MS }
    // Reading must work on a full disk. The session only expires sooner.
    await store
      .recordSessionUse(signedIn.sessionId, use)
      .catch((error: unknown) => observe.log.error({ err: error }, 'saving the last use of a session failed'))
  }
  return signedIn
}

export async function requireSession(ports: SessionPorts, request: Request): Promise<SignedIn> {
  const signedIn = await findSession(ports, request)
  if (!signedIn) throw new AppError('unauthorized', 'Unauthorized')
  return signedIn
}

/**
 * Protects requests that change something against cross-site request forgery. Browsers send the Origin header with all
 * of them, so a request with a session cookie must have one. Programs without a cookie need none.
 */
export function requireOrigin(ports: OriginPorts, request: Request): void {
  const { appUrl = null } = ports
  const origin = request.headers.get('origin')
  if (origin === null && readCookie(request, cookieName({ appUrl })) === null) return
  if (origin === null || !isOurOrigin(ports, request, origin)) {
    throw new AppError('forbidden', 'This request comes from another site.')
  }
}

function isOurOrigin({ appUrl = null, allowedOrigins }: OriginPorts, request: Request, origin: string): boolean {
  if (allowedOrigins.includes(origin) || (appUrl !== null && new URL(appUrl).origin === origin)) return true
  // Without TLS, the server runs on a laptop or a local network under several names, such as localhost and 127.0.0.1.
  // The browser sends the cookie only to the name that set it.
  return !isSecure({ appUrl }) && origin === `http://${request.headers.get('host')}`
}
