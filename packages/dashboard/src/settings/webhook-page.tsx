import { Link } from 'wouter'
import { queries } from '../api/queries.ts'
import { useIsOwner } from '../session.tsx'
import { Icon } from '../ui/icon.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { OwnersOnly } from '../ui/owners-only.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Deliveries } from './deliveries.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { eventsText, type Endpoint } from './webhooks-page.tsx'

export function WebhookPage({ id }: { id: string }) {
  return (
    <Loaded query={queries.webhooks}>
      {(endpoints) => {
        const endpoint = endpoints.find((other) => other.id === id)
        return endpoint ? <EndpointPage endpoint={endpoint} /> : <GonePage />
      }}
    </Loaded>
  )
}

function GonePage() {
  return (
    <Page title="Endpoint not found">
      <BackLink />
    </Page>
  )
}

function BackLink() {
  return (
    <Link href="/settings/webhooks" className="link inline-flex items-center gap-1 text-sm">
      <Icon name="back" size={12} /> All webhooks
    </Link>
  )
}

function EndpointPage({ endpoint }: { endpoint: Endpoint }) {
  const isOwner = useIsOwner()
  const { url, description, secretMasked, createdAt } = endpoint
  return (
    <Page
      title={shortAddress(url)}
      description={description}
      actions={isOwner && <WebhookActions key={endpoint.id} endpoint={endpoint} />}
    >
      <BackLink />
      <OwnersOnly what="change this endpoint and replay deliveries" />
      <Panel>
        <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[auto_1fr] [&_dt]:text-quiet">
          <dt>URL</dt>
          <dd className="font-mono">{url}</dd>
          <dt>Status</dt>
          <dd>
            <EndpointState endpoint={endpoint} />
          </dd>
          <dt>Events</dt>
          <dd>{eventsText(endpoint)}</dd>
          <dt>Signing secret</dt>
          <dd className="font-mono">{secretMasked}</dd>
          <dt>Added</dt>
          <dd>
            <RelativeTime at={createdAt} />
          </dd>
        </dl>
      </Panel>
      <Deliveries endpoint={endpoint} />
    </Page>
  )
}

/** The URL without its scheme and trailing slash. */
function shortAddress(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '')
}
