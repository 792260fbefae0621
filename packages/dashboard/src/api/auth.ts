import { serverPath } from '../base-path.ts'
import { OFFLINE, RouteError } from './failure.ts'

export type AuthMethods = { password: boolean; signUp: 'open' | 'invite'; oidc: boolean; mail: boolean }

export type Session = {
  id: string
  isCurrent: boolean
  userAgent: string
  address: string
  createdAt: string
  lastSeenAt: string
  expiresAt: string
}

/** Sign-in and account routes. They are not tRPC procedures because they set cookies. */
export const auth = {
  methods: () => send<AuthMethods>('GET', '/auth/methods'),
  signIn: (body: { email: string; password: string }) => send('POST', '/auth/sign-in', body),
  signInByLink: (token: string) => send('POST', '/auth/link', { token }),
  signUp: (body: { email: string; password: string; name: string; invite: string | null }) =>
    send<{ status: 'signed_in' | 'check_address' }>('POST', '/auth/sign-up', body),
  checkAddress: (body: { token: string; password: string }) => send('POST', '/auth/check', body),
  requestReset: (email: string) => send('POST', '/auth/reset/request', { email }),
  reset: (body: { token: string; password: string }) => send('POST', '/auth/reset', body),
  signOut: () => send('POST', '/auth/sign-out', {}),
  signOutEverywhere: () => send('POST', '/auth/sign-out-everywhere', {}),
  changePassword: (body: { current: string | null; new: string }) => send('POST', '/auth/password', body),
  sessions: () => send<Session[]>('GET', '/auth/sessions'),
  endSession: (id: string) => send('DELETE', `/auth/sessions/${encodeURIComponent(id)}`),
}

async function send<Data>(method: string, path: string, body?: object): Promise<Data> {
  const init = body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}
  const response = await fetch(serverPath(path), { method, ...init }).catch(() => {
    throw new RouteError(OFFLINE)
  })
  // The server always responds with this shape; a proxy in between may not.
  const answer = (await response.json().catch(() => null)) as Answer<Data> | null
  if (!response.ok || !answer || !('data' in answer)) {
    const { error, code, details = {} } = answer && 'error' in answer ? answer : { error: '', code: '' }
    const message = error || `The server responded with ${response.status}.`
    throw new RouteError({
      message,
      code: code || 'internal',
      requestId: response.headers.get('x-request-id'),
      details,
    })
  }
  return answer.data
}

type Answer<Data> = { data: Data } | { error: string; code: string; details?: Record<string, string[]> }
