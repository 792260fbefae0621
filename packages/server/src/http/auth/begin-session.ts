import type { Context } from 'hono'
import { startSession, type Client, type SessionUser } from '../../manage/sessions.ts'
import type { AccountPorts } from '../../manage/account-ports.ts'
import type { ClientAddress } from '../../manage/try-limit.ts'
import type { Oidc } from '../../manage/oidc.ts'
import type { ApiEnvironment } from '../environment.ts'
import { findSession } from '../session.ts'
import { sessionCookie } from '../session-cookie.ts'

export type AuthPorts = AccountPorts & {
  allowedOrigins: string[]
  /** Null where no provider is configured. */
  oidc: Oidc | null
  /** Whether all requests come through a proxy, which says from where. */
  isBehindProxy: boolean
}

/** Signs the browser in, with a cookie that it did not have before; the session that it had is ended. */
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

/** Longer than any address of a network. */
const ADDRESS_CHARACTERS_MAX = 60

type AskingClient = Client & {
  /** Whose tries are counted. */
  countedAs: ClientAddress
}

export function clientOf(
  { isBehindProxy }: Pick<AuthPorts, 'isBehindProxy'>,
  context: Context<ApiEnvironment>,
): AskingClient {
  const userAgent = context.req.header('user-agent') ?? ''
  const socket = context.env.incoming?.socket.remoteAddress || 'unknown'
  const forwarded = lastEntry(context.req.header('x-forwarded-for'))
  if (isBehindProxy) {
    const address = forwarded ?? socket
    return { userAgent, address, countedAs: { socket: address, claimed: null } }
  }
  // What a proxy that is not trusted says is believed for one thing only: that its clients are not one and the same.
  const claimed = forwarded ?? lastEntry(context.req.header('forwarded'))
  return { userAgent, address: socket, countedAs: { socket, claimed } }
}

/** Each proxy adds who it was asked by; all but the last entry may be invented. */
function lastEntry(header: string | undefined): string | null {
  return header?.split(',').at(-1)?.trim().slice(0, ADDRESS_CHARACTERS_MAX) || null
}
