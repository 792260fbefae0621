import { Route, Switch } from 'wouter'
import { NotFoundPage } from '../shell/not-found-page.tsx'
import { SECTIONS } from './sections.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { WebhookPage } from './webhook-page.tsx'

export default function SettingsPages() {
  return (
    <SettingsFrame>
      <Switch>
        {SECTIONS.map(({ path, page }) => (
          <Route key={path} path={path} component={page} />
        ))}
        <Route path="/settings/webhooks/:id">{({ id }) => <WebhookPage id={id} />}</Route>
        <Route component={NotFoundPage} />
      </Switch>
    </SettingsFrame>
  )
}
