import type { Scope } from '@mailhatch/sdk'

/** What a key of each scope may do, in a word or two and in a sentence. */
export const SCOPE_TEXTS: Record<Scope, { short: string; long: string }> = {
  'api.full': { short: 'everything', long: 'Read all mail; change and delete mail, mailboxes and webhooks' },
  'email.full': { short: 'read all mail', long: 'Read the mail of all mailboxes' },
  'email.mailbox': { short: 'read', long: 'Read the mail of one mailbox' },
}
