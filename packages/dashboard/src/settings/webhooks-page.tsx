import { useState } from 'react'
import { Link } from 'wouter'
import { queries } from '../api/queries.ts'
import type { Outputs } from '../api/trpc.ts'
import { useIsOwner } from '../session.tsx'
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
  const [isMaking, setMaking] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const add = (
    <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
      Add endpoint
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      description="Each new message is posted to your endpoints, signed, and tried again until they take it."
      actions={isOwner && add}
    >
      <OwnersOnly what="add and change webhooks" />
      <Loaded query={queries.webhooks}>
        {(endpoints) => (
          <Panel isFlush>
            {endpoints.length === 0 ? (
              <EmptyState icon="webhook" title="No endpoints yet">
                <p>Add the https address of an app that wants to hear of new mail.</p>
                {isOwner && add}
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
        isOpen={isMaking}
        onClose={() => setMaking(false)}
        onMade={(made) => {
          setMaking(false)
          setSecret(made)
        }}
      />
      <SecretDialog
        title="The signing secret"
        what="secret"
        hint="It is shown this once. Your app checks with it that a request came from here."
        secret={secret}
        onClose={() => setSecret(null)}
      />
    </Page>
  )
}

const COLUMNS = [{ text: 'Endpoint' }, { text: 'Told of' }, { text: 'State' }, { text: 'Added' }]

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
      <Cell label="Told of">{toldOf(endpoint)}</Cell>
      <Cell>
        <EndpointState endpoint={endpoint} />
      </Cell>
      <Cell label="Added">
        <RelativeTime at={createdAt} />
      </Cell>
    </Row>
  )
}

export function toldOf({ mailbox, tag }: Pick<Endpoint, 'mailbox' | 'tag'>): string {
  if (!mailbox && !tag) return 'all mail'
  return `mail to ${mailbox ?? 'any mailbox'}${tag ? `, tag ${tag}` : ''}`
}
