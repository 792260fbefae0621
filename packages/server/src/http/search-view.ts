import type { Context } from 'hono'
import type { Principal } from '../domain/access.ts'
import type { MessageFilter } from '../domain/match.ts'
import type { View } from '../store/messages.ts'
import type { ApiEnvironment } from './environment.ts'
import { viewOf, whileConnected } from './view.ts'

/** What a request may see, as long as its client is connected. */
export function searchOf(
  context: Context<ApiEnvironment>,
  principal: Principal,
  filter: MessageFilter,
  at: number,
): View {
  return { ...viewOf(principal, filter, at), proceed: whileConnected(context.env.outgoing) }
}

/**
 * Calls `end` when the client disconnects, or at once if it has. Uses the socket, because the `signal` of a request costs as much
 * as the rest of a held wait.
 */
export function onGone({ env }: Context<ApiEnvironment>) {
  return (end: () => void) => {
    const { outgoing } = env
    if (outgoing?.destroyed) end()
    else outgoing?.once('close', end)
  }
}
