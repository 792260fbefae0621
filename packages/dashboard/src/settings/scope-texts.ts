import type { Scope } from '@mailhatch/sdk'

/** The permissions of each scope, in short for tables and in full for forms. */
export const SCOPE_TEXTS: Record<Scope, { short: string; long: string }> = {
  'api.full': { short: 'full access', long: 'Full access: read all mail, manage mail, mailboxes and webhooks' },
  'email.full': { short: 'read all mail', long: 'Read mail in all mailboxes' },
  'email.mailbox': { short: 'read', long: 'Read mail in one mailbox' },
}
