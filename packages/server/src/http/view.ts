import type { Scope } from '@mailhatch/sdk'
import { hasScope, type Principal } from '../domain/access.ts'
import { AppError } from '../domain/errors.ts'
import type { MessageFilter } from '../domain/match.ts'
import { oldestVisible } from '../domain/plans.ts'
import type { Team } from '../store/mailboxes.ts'
import type { View } from '../store/messages.ts'

/** What of its team the key may see, narrowed by what it asks for. That it may read at all is checked before. */
export function viewOf({ team, mailbox }: Principal, filter: MessageFilter, now: number): View {
  if (mailbox && filter.mailbox && filter.mailbox.name !== mailbox.name) throw forbidden()
  return teamView(team, mailbox ? { ...filter, mailboxId: mailbox.id } : filter, now)
}

/** What a member of the team sees, narrowed by what they ask for. */
export function teamView(team: Team, filter: MessageFilter, now: number): View {
  return { teamId: team.id, oldestReceivedAt: oldestVisible(team, now), filter }
}

/** Ends a long search when its client has gone; nobody sees the error. */
export function whileConnected(outgoing: { destroyed: boolean } | undefined): () => void {
  return () => {
    if (outgoing?.destroyed) throw new AppError('request_timeout', 'The client disconnected.')
  }
}

export function requireScope(principal: Principal, scopes: readonly Scope[]): void {
  if (!hasScope(principal, scopes)) throw forbidden()
}

function forbidden(): AppError {
  return new AppError('forbidden', 'Forbidden')
}
