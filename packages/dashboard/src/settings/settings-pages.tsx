import type { ComponentType } from 'react'
import { Route, Switch } from 'wouter'
import { SetupPage } from '../setup/setup-page.tsx'
import { NotFoundPage } from '../shell/not-found-page.tsx'
import { AboutPage } from './about-page.tsx'
import { AccountPage } from './account-page.tsx'
import { BillingPage } from './billing-page.tsx'
import { DomainPage } from './domain-page.tsx'
import { KeysPage } from './keys-page.tsx'
import { MailboxesPage } from './mailboxes-page.tsx'
import { OverviewPage } from './overview-page.tsx'
import { ScenariosPage } from './scenarios-page.tsx'
import { SECTIONS } from './sections.ts'
import { SettingsFrame } from './settings-frame.tsx'
import { TeamPage } from './team-page.tsx'
import { UsagePage } from './usage-page.tsx'
import { WebhookPage } from './webhook-page.tsx'
import { WebhooksPage } from './webhooks-page.tsx'

const PAGES: Record<(typeof SECTIONS)[number]['path'], ComponentType> = {
  '/settings': OverviewPage,
  '/settings/setup': SetupPage,
  '/settings/keys': KeysPage,
  '/settings/webhooks': WebhooksPage,
  '/settings/mailboxes': MailboxesPage,
  '/settings/scenarios': ScenariosPage,
  '/settings/domain': DomainPage,
  '/settings/team': TeamPage,
  '/settings/usage': UsagePage,
  '/settings/billing': BillingPage,
  '/settings/account': AccountPage,
  '/settings/about': AboutPage,
}

export default function SettingsPages() {
  return (
    <SettingsFrame>
      <Switch>
        {SECTIONS.map(({ path }) => (
          <Route key={path} path={path} component={PAGES[path]} />
        ))}
        <Route path="/settings/webhooks/:id">{({ id }) => <WebhookPage id={id} />}</Route>
        <Route component={NotFoundPage} />
      </Switch>
    </SettingsFrame>
  )
}
