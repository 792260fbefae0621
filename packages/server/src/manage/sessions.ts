import { hash } from 'node:crypto'
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

/** Always a new one, whatever the browser brought along: nobody can know it beforehand. Returns its token. */
export async function startSession({ store, newId, newSecret, now }: Ports, userId: string, client: Client) {
  const token = newSecret()
  const at = now()
  await store.addSession({
    id: newId(at),
    hash: hashToken(token),
    userId,
    createdAt: at,
    lastSeenAt: at,
    expiresAt: at + SESSION_MS,
    userAgent: printable(client.userAgent).slice(0, USER_AGENT_CHARACTERS_MAX),
    address: client.address,
  })
  return token
}

/** A stranger may have chosen it. */
function printable(text: string): string {
  return text.replaceAll(/[^ -~]/g, '')
}
