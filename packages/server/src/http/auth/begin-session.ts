import type { Context } from 'hono'
import { startSession, type Client, type Entrant } from '../../manage/sessions.ts'
import type { AccountPorts } from '../../manage/account-ports.ts'
import type { Oidc } from '../../manage/oidc.ts'
import type { ApiEnvironment } from '../app.ts'
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
export async function beginSession(ports: AuthPorts, context: Context<ApiEnvironment>, user: Entrant): Promise<void> {
  const old = await findSession(ports, context.req.raw)
  if (old) await ports.store.removeSession({ id: old.sessionId, userId: old.user.id })
  const token = await startSession(ports, user, clientOf(ports, context))
  context.header('set-cookie', sessionCookie(ports, token), { append: true })
}

/** Longer than any address of a network. */
const ADDRESS_CHARACTERS_MAX = 60

export function clientOf(
  { isBehindProxy }: Pick<AuthPorts, 'isBehindProxy'>,
  context: Context<ApiEnvironment>,
): Client {
  // Each proxy adds who it was asked by; all but the last entry may be invented.
  const forwarded = isBehindProxy ? context.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined
  const address = forwarded || context.env.incoming?.socket.remoteAddress || 'unknown'
  return { userAgent: context.req.header('user-agent') ?? '', address: address.slice(0, ADDRESS_CHARACTERS_MAX) }
}
