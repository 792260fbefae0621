import { useState } from 'react'
import { Link } from 'wouter'
import { queries } from '../api/queries.ts'
import type { Outputs } from '../api/trpc.ts'
import { useIsOwner } from '../session.tsx'
import { LocalWebhooks } from '../setup/local-webhooks.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { OwnersOnly } from '../ui/owners-only.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'
import { Cell, Row, Table } from '../ui/table.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { NewWebhookDialog } from './new-webhook-dialog.tsx'

export type Endpoint = Outputs['webhooks']['list'][number]

export function WebhooksPage() {
  const isOwner = useIsOwner()
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const add = (
    <Button variant="primary" icon="plus" onClick={() => setCreating(true)}>
      Add endpoint
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      description="Each new message is posted to your endpoints with a signature, and retried until they accept it."
      actions={isOwner && add}
    >
      <OwnersOnly what="add and change webhooks" />
      <Loaded query={queries.webhooks}>
        {(endpoints) => (
          <Panel isFlush>
            {endpoints.length === 0 ? (
              <EmptyState icon="webhook" title="No endpoints yet">
                <p>Add the https URL of an app that should receive new messages.</p>
                {isOwner && add}
                <details className="rounded-md border border-line px-3 py-2 text-left">
                  <summary className="font-medium text-ink">Does your app run on localhost?</summary>
                  <div className="pt-2">
                    <LocalWebhooks />
                  </div>
                </details>
              </EmptyState>
            ) : (
              <Table caption="Webhook endpoints" columns={COLUMNS}>
                {endpoints.map((endpoint) => (
                  <EndpointRow key={endpoint.id} endpoint={endpoint} />
                ))}
              </Table>
            )}
          </Panel>
        )}
      </Loaded>
      <NewWebhookDialog
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        onCreated={(created) => {
          setCreating(false)
          setSecret(created)
        }}
      />
      <SecretDialog
        title="Signing secret"
        what="secret"
        hint="It is shown only once. Your app uses it to verify that a request came from this server."
        secret={secret}
        onClose={() => setSecret(null)}
      />
    </Page>
  )
}

const COLUMNS = [{ text: 'Endpoint' }, { text: 'Events' }, { text: 'Status' }, { text: 'Added' }]

function EndpointRow({ endpoint }: { endpoint: Endpoint }) {
  const { id, url, description, createdAt } = endpoint
  return (
    <Row>
      <Cell>
        <Link href={`/settings/webhooks/${id}`} className="link font-medium">
          {url}
        </Link>
        {description && <p className="text-quiet">{description}</p>}
      </Cell>
      <Cell label="Events">{eventsText(endpoint)}</Cell>
      <Cell>
        <EndpointState endpoint={endpoint} />
      </Cell>
      <Cell label="Added">
        <RelativeTime at={createdAt} />
      </Cell>
    </Row>
  )
}

export function eventsText({ mailbox, tag }: Pick<Endpoint, 'mailbox' | 'tag'>): string {
  if (!mailbox && !tag) return 'all mail'
  return `mail to ${mailbox ?? 'any mailbox'}${tag ? `, tag ${tag}` : ''}`
}
