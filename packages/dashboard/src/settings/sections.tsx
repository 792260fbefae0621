import type { ComponentType } from 'react'
import type { IconName } from '../ui/icon.tsx'
import { AboutPage } from './about-page.tsx'
import { AccountPage } from './account-page.tsx'
import { BillingPage } from './billing-page.tsx'
import { DomainPage } from './domain-page.tsx'
import { KeysPage } from './keys-page.tsx'
import { MailboxesPage } from './mailboxes-page.tsx'
import { OverviewPage } from './overview-page.tsx'
import { TeamPage } from './team-page.tsx'
import { UsagePage } from './usage-page.tsx'
import { WebhooksPage } from './webhooks-page.tsx'

export type Section = { path: string; text: string; icon: IconName; page: ComponentType }

/** In the order of the menu. */
export const SECTIONS: Section[] = [
  { path: '/settings', text: 'Overview', icon: 'overview', page: OverviewPage },
  { path: '/settings/keys', text: 'API keys', icon: 'key', page: KeysPage },
  { path: '/settings/webhooks', text: 'Webhooks', icon: 'webhook', page: WebhooksPage },
  { path: '/settings/mailboxes', text: 'Mailboxes', icon: 'mailbox', page: MailboxesPage },
  { path: '/settings/domain', text: 'Domain', icon: 'globe', page: DomainPage },
  { path: '/settings/team', text: 'Team', icon: 'team', page: TeamPage },
  { path: '/settings/usage', text: 'Usage', icon: 'chart', page: UsagePage },
  { path: '/settings/billing', text: 'Billing', icon: 'card', page: BillingPage },
  { path: '/settings/account', text: 'Account', icon: 'user', page: AccountPage },
  { path: '/settings/about', text: 'About', icon: 'info', page: AboutPage },
]
