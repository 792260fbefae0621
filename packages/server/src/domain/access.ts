import type { Scope } from '@mailhatch/sdk'
import type { PlanName } from './plans.ts'

/** Who asks: a key, its team, and what of the team it may see. */
export type Principal = {
  keyId: string
  keyHash: string
  keyName: string
  scopes: Scope[]
  expiresAt: number | null
  team: { id: string; name: string; plan: PlanName; retentionDays: number | null; domain: string | null }
  /** `null` for keys that see the whole team; a bound key whose mailbox is gone has `{ id, name: null }`. */
  mailbox: { id: string; name: string | null } | null
}

/** Reading takes any of these. */
export const READ_SCOPES: readonly Scope[] = ['api.full', 'email.full', 'email.mailbox']
/** Writing, deleting, webhooks and rotation take the full scope. */
export const FULL_SCOPES: readonly Scope[] = ['api.full']

/** Whether the key has one of these scopes. */
export function hasScope(
  { scopes, mailbox }: Pick<Principal, 'scopes' | 'mailbox'>,
  wanted: readonly Scope[],
): boolean {
  // A key bound to a mailbox that was deleted may do nothing.
  if (mailbox !== null && mailbox.name === null) return false
  return scopes.some((scope) => wanted.includes(scope))
}

export function mayRead(principal: Principal): boolean {
  return hasScope(principal, READ_SCOPES)
}
