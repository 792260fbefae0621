import type { Context } from 'hono'
import { startSession, type Client, type SessionUser } from '../../manage/sessions.ts'
import type { ClientAddress } from '../../manage/attempt-limit.ts'
import type { ApiEnvironment } from '../environment.ts'
import type { ApiPorts } from '../ports.ts'
import { findSession } from '../session.ts'
import { sessionCookie } from '../session-cookie.ts'

export type AuthPorts = Pick<ApiPorts, 'store' | 'now' | 'accounts' | 'site' | 'observe'>

/** Signs the browser in with a new cookie and ends its previous session. */
export async function beginSession(
  ports: AuthPorts,
  context: Context<ApiEnvironment>,
  user: SessionUser,
): Promise<void> {
  const old = await findSession(ports, context.req.raw)
  if (old) await ports.store.removeSession({ id: old.sessionId, userId: old.user.id })
  const { userAgent, address } = clientOf(ports.site, context)
  const token = await startSession(ports.accounts, user, { userAgent, address })
  context.header('set-cookie', sessionCookie(ports.site, token), { append: true })
}

/** Longer than any IP address. */
const ADDRESS_CHARACTERS_MAX = 60

type RequestClient = Client & {
  /** The address by which attempts are counted. */
  countedAs: ClientAddress
}

export function clientOf(
  { isBehindProxy }: Pick<AuthPorts['site'], 'isBehindProxy'>,
  context: Context<ApiEnvironment>,
): RequestClient {
  const userAgent = context.req.header('user-agent') ?? ''
  const socket = context.env.incoming?.socket.remoteAddress || 'unknown'
  const forwarded = lastEntry(context.req.header('x-forwarded-for'))
  if (isBehindProxy) {
    const address = forwarded ?? socket
    return { userAgent, address, countedAs: { socket: address, claimed: null } }
  }
  // The header of an untrusted proxy is used only to tell its clients apart.
  const claimed = forwarded ?? lastEntry(context.req.header('forwarded'))
  return { userAgent, address: socket, countedAs: { socket, claimed } }
}

/** Each proxy appends the address of its client. All entries but the last may be forged. */
function lastEntry(header: string | undefined): string | null {
  return header?.split(',').at(-1)?.trim().slice(0, ADDRESS_CHARACTERS_MAX) || null
}
