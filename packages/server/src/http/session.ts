import { AppError } from '../domain/errors.ts'
import type { Log } from '../log.ts'
import { hashToken, SESSION_MS } from '../manage/sessions.ts'
import type { SignedIn } from '../store/accounts.ts'
import type { Store } from '../store/store.ts'
import { cookieName, isSecure, readCookie } from './session-cookie.ts'

/** A use is written down no more often: dashboards ask all the time. */
const USE_WRITTEN_EVERY_MS = 3_600_000
/** Longer than any token of ours. */
const TOKEN_CHARACTERS_MAX = 100

export type SessionPorts = {
  store: Pick<Store, 'findSession' | 'recordSessionUse'>
  /** The address that people use, where it is known. */
  appUrl?: string | null
  now: () => number
  log: Pick<Log, 'error'>
}

export type OriginPorts = { appUrl?: string | null; allowedOrigins: string[] }

/** Who sends this request, by its session cookie; null for strangers. Their team and role are those of this moment. */
export async function findSession(
  { store, appUrl = null, now, log }: SessionPorts,
  request: Request,
): Promise<SignedIn | null> {
  const token = readCookie(request, cookieName({ appUrl }))
  if (token === null || token.length > TOKEN_CHARACTERS_MAX) return null
  const at = now()
  const found = await store.findSession(hashToken(token), at)
  if (!found) return null
  const { signedIn, lastSeenAt } = found
  if (at - lastSeenAt >= USE_WRITTEN_EVERY_MS) {
    const use = { lastSeenAt: at, expiresAt: at + SESSION_MS }
    // On a full disk people still read; the session only ends sooner.
    await store
      .recordSessionUse(signedIn.sessionId, use)
      .catch((error: unknown) => log.error({ err: error }, 'the use of a session is not written'))
  }
  return signedIn
}

export async function requireSession(ports: SessionPorts, request: Request): Promise<SignedIn> {
  const signedIn = await findSession(ports, request)
  if (!signedIn) throw new AppError('unauthorized', 'Unauthorized')
  return signedIn
}

/**
 * Refuses what another site makes a browser send; for every request that changes something. Browsers name the origin
 * in all of those, so with a session cookie there must be one. Programs without a cookie need none.
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
  // Without TLS it is a laptop or a local network, known there by several names: localhost, 127.0.0.1, its own. Whatever
  // name the page came from, its cookie goes nowhere else.
  return !isSecure({ appUrl }) && origin === `http://${request.headers.get('host')}`
}
