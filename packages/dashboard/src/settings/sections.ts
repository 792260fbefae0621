import type { IconName } from '../ui/icon.tsx'

export type Section = { path: string; text: string; icon: IconName }

/** In menu order. Separate from the pages, so that the command palette does not load them. */
export const SECTIONS = [
  { path: '/settings', text: 'Overview', icon: 'overview' },
  { path: '/settings/setup', text: 'Set-up', icon: 'play' },
  { path: '/settings/keys', text: 'API keys', icon: 'key' },
  { path: '/settings/webhooks', text: 'Webhooks', icon: 'webhook' },
  { path: '/settings/mailboxes', text: 'Mailboxes', icon: 'mailbox' },
  { path: '/settings/scenarios', text: 'Scenarios', icon: 'steps' },
  { path: '/settings/domain', text: 'Domain', icon: 'globe' },
  { path: '/settings/team', text: 'Team', icon: 'team' },
  { path: '/settings/usage', text: 'Usage', icon: 'chart' },
  { path: '/settings/billing', text: 'Billing', icon: 'card' },
  { path: '/settings/account', text: 'Account', icon: 'user' },
  { path: '/settings/about', text: 'About', icon: 'info' },
] as const satisfies Section[]
