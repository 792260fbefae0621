import type { Scope } from '@mailhatch/sdk'
import type { PlanName } from './plans.ts'

/** The authenticated caller of a request: a key, its team, and the mailbox to which the key is bound. */
export type Principal = {
  keyId: string
  keyHash: string
  keyName: string
  scopes: Scope[]
  expiresAt: number | null
  team: { id: string; name: string; plan: PlanName; retentionDays: number | null; domain: string | null }
  /** Null for keys that see the whole team. `{ id, name: null }` if the mailbox of a bound key was deleted. */
  mailbox: { id: string; name: string | null } | null
}

/** A read needs one of these scopes. */
export const READ_SCOPES: readonly Scope[] = ['api.full', 'email.full', 'email.mailbox']
/** Writes, deletions, webhooks and key rotation need the full scope. */
export const FULL_SCOPES: readonly Scope[] = ['api.full']

/** Whether the key has one of these scopes. */
export function hasScope(
  { scopes, mailbox }: Pick<Principal, 'scopes' | 'mailbox'>,
  wanted: readonly Scope[],
): boolean {
  // A key whose mailbox was deleted has no permissions.
  if (mailbox !== null && mailbox.name === null) return false
  return scopes.some((scope) => wanted.includes(scope))
}

export function mayRead(principal: Principal): boolean {
  return hasScope(principal, READ_SCOPES)
}
