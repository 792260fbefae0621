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

const READ_SCOPES: Scope[] = ['api.full', 'email.full', 'email.mailbox']

export function mayRead({ scopes, mailbox }: Principal): boolean {
  // A key bound to a mailbox that was deleted sees nothing.
  if (mailbox !== null && mailbox.name === null) return false
  return scopes.some((scope) => READ_SCOPES.includes(scope))
}

/** Writing, deleting, webhooks and rotation need the full scope. */
export function mayChange(principal: Principal): boolean {
  return mayRead(principal) && principal.scopes.includes('api.full')
}
