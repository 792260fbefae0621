import { hash } from 'node:crypto'
import { AppError } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'

const DAY_MS = 86_400_000
/** Since it was last used. */
export const SESSION_MS = 30 * DAY_MS
/** Enough to know one's browser by. */
const USER_AGENT_CHARACTERS_MAX = 300

/** Where a session is begun. */
export type Client = { userAgent: string; address: string }

type Ports = {
  store: Pick<Store, 'addSession'>
  newId: (now: number) => string
  newSecret: () => string
  now: () => number
}

/** Tokens are random enough that a plain hash hides them. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}

/** `passwordHash` is what they have shown that they know, if they signed in by it. */
export type Entrant = { id: string; passwordHash?: string | null }

/** Always a new one, whatever the browser brought along: nobody can know it beforehand. Returns its token. */
export async function startSession(
  { store, newId, newSecret, now }: Ports,
  { id: userId, passwordHash }: Entrant,
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
  // The password was changed since it was compared, which was to end what came in by the old one.
  if (!isAdded) throw new AppError('invalid_credentials', 'E-mail or password is wrong.')
  return token
}

/** A stranger may have chosen it. */
function printable(text: string): string {
  return text.replaceAll(/[^ -~]/g, '')
}
