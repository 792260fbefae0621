import { hash } from 'node:crypto'
import { AppError } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'

const DAY_MS = 86_400_000
/** Counted from the last use. */
export const SESSION_MS = 30 * DAY_MS
/** Enough to recognise a browser. */
const USER_AGENT_CHARACTERS_MAX = 300

/** The client that starts a session. */
export type Client = { userAgent: string; address: string }

type Ports = {
  store: Pick<Store, 'addSession'>
  newId: (now: number) => string
  newSecret: () => string
  now: () => number
}

/** Tokens are random enough for a plain hash. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}

/** `passwordHash` is the hash that was compared at sign-in with a password. */
export type SessionUser = { id: string; passwordHash?: string | null }

/** Always creates a new session and returns its token, so that an attacker cannot choose the token in advance. */
export async function startSession(
  { store, newId, newSecret, now }: Ports,
  { id: userId, passwordHash }: SessionUser,
  client: Client,
): Promise<string> {
  const token = newSecret()
  const at = now()
  const isAdded = await store.addSession({
    id: newId(at),
    hash: hashToken(token),
    userId,
    createdAt: at,
    lastSeenAt: at,
    expiresAt: at + SESSION_MS,
    userAgent: printable(client.userAgent).slice(0, USER_AGENT_CHARACTERS_MAX),
    address: client.address,
    ...(passwordHash !== undefined && { passwordHash }),
  })
  // The password was changed after it was compared. A change ends sessions of the old password.
  if (!isAdded) throw new AppError('invalid_credentials', 'Email or password is wrong.')
  return token
}

/** Untrusted input. */
function printable(text: string): string {
  return text.replaceAll(/[^ -~]/g, '')
}
