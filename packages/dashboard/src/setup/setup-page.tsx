import { Suspense } from 'react'
import type { Outputs } from '../api/trpc.ts'
import { inboxQueries } from '../inbox/inbox-queries.ts'
import { lazyPart } from '../lazy-part.ts'
import { useSession } from '../session.tsx'
import { CopyValue } from '../ui/code-block.tsx'
import { Loaded, Loading } from '../ui/loaded.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { LocalWebhooks } from './local-webhooks.tsx'

const FrameworkTabs = lazyPart(() => import('./framework-tabs.tsx'))

/** For servers whose worker runs elsewhere. */
const UNKNOWN_SERVER = { host: 'localhost', port: 2525 }

/** How an app sends to this server; always available, unlike the first steps. */
export function SetupPage() {
  const { seesUnrouted } = useSession().team
  const others = seesUnrouted ? ' Mail to other domains, such as gmail.com, is under “Other addresses”.' : ''
  return (
    <Page
      title="Set-up"
      description={`Point your app at this SMTP server. Mail to an address of your team, such as the one below, appears in the inbox.${others}`}
    >
      <Loaded query={inboxQueries.firstSteps}>
        {(steps) => (
          <Panel
            title="SMTP settings"
            description="Without TLS, user name and password, unless the operator has set them."
          >
            <MailServer steps={steps} />
          </Panel>
        )}
      </Loaded>
      <Panel title="Webhooks on localhost">
        <LocalWebhooks />
      </Panel>
    </Page>
  )
}

function MailServer({ steps: { smtp, address } }: { steps: Outputs['inbox']['firstSteps']['get'] }) {
  const server = { ...(smtp ?? UNKNOWN_SERVER), address: address ?? 'qa+signup@your.domain' }
  return (
    <>
      {smtp ? (
        <dl className="grid grid-cols-[auto_1fr] items-center gap-x-3 gap-y-2 text-sm [&_dt]:text-quiet">
          <dt>Host</dt>
          <dd>
            <CopyValue value={smtp.host} what="host" />
          </dd>
          <dt>Port</dt>
          <dd>
            <CopyValue value={String(smtp.port)} what="port" />
          </dd>
          <dt>Address</dt>
          <dd>{address === null ? 'Create a mailbox first.' : <CopyValue value={address} what="address" />}</dd>
        </dl>
      ) : (
        <p className="text-sm text-quiet">
          This server does not know its SMTP address, because mail is received by another process. Replace localhost and
          2525 by the address that your operator gives you.
        </p>
      )}
      <Suspense fallback={<Loading />}>
        <FrameworkTabs server={server} />
      </Suspense>
    </>
  )
}
