import type { Context } from 'hono'
import { startSession, type Client, type SessionUser } from '../../manage/sessions.ts'
import type { AccountPorts } from '../../manage/account-ports.ts'
import type { ClientAddress } from '../../manage/attempt-limit.ts'
import type { Oidc } from '../../manage/oidc.ts'
import type { ApiEnvironment } from '../environment.ts'
import { findSession } from '../session.ts'
import { sessionCookie } from '../session-cookie.ts'

export type AuthPorts = AccountPorts & {
  allowedOrigins: string[]
  /** Null if no provider is configured. */
  oidc: Oidc | null
  /** Whether all requests come through a proxy that adds the address of the client. */
  isBehindProxy: boolean
}

/** Signs the browser in with a new cookie and ends its previous session. */
export async function beginSession(
  ports: AuthPorts,
  context: Context<ApiEnvironment>,
  user: SessionUser,
): Promise<void> {
  const old = await findSession(ports, context.req.raw)
  if (old) await ports.store.removeSession({ id: old.sessionId, userId: old.user.id })
  const { userAgent, address } = clientOf(ports, context)
  const token = await startSession(ports, user, { userAgent, address })
  context.header('set-cookie', sessionCookie(ports, token), { append: true })
}

/** Longer than any IP address. */
const ADDRESS_CHARACTERS_MAX = 60

type RequestClient = Client & {
  /** The address by which attempts are counted. */
  countedAs: ClientAddress
}

export function clientOf(
  { isBehindProxy }: Pick<AuthPorts, 'isBehindProxy'>,
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
