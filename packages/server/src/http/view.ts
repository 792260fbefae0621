import type { Scope } from '@mailhatch/sdk'
import { hasScope, type Principal } from '../domain/access.ts'
import { AppError } from '../domain/errors.ts'
import type { MessageFilter } from '../domain/match.ts'
import { oldestVisible } from '../domain/plans.ts'
import type { Team } from '../store/mailboxes.ts'
import type { View } from '../store/messages.ts'

/** The messages that the key may see and that match the filter. Its permission to read was checked before. */
export function viewOf({ team, mailbox }: Principal, filter: MessageFilter, now: number): View {
  if (mailbox && filter.mailbox && filter.mailbox.name !== mailbox.name) throw forbidden()
  return teamView(team, mailbox ? { ...filter, mailboxId: mailbox.id } : filter, now)
}

/** The messages that a member of the team may see and that match the filter. */
export function teamView(team: Team, filter: MessageFilter, now: number): View {
  return { teamId: team.id, oldestReceivedAt: oldestVisible(team, now), filter }
}

/** Ends a long search or a wait when its client disconnects. The client does not see the error. */
export function whileConnected(outgoing: { destroyed: boolean } | undefined): () => void {
  return () => {
    if (outgoing?.destroyed) throw new AppError('request_timeout', 'The client disconnected.')
  }
}

export function requireScope(principal: Principal, scopes: readonly Scope[]): void {
  if (!hasScope(principal, scopes)) throw forbidden()
}

export function forbidden(): AppError {
  return new AppError('forbidden', 'Forbidden')
}
