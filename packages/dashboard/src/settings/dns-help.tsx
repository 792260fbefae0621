import type { ReactNode } from 'react'
import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useIsOwner } from '../session.tsx'
import { Button } from '../ui/button.tsx'
import { CopyValue } from '../ui/code-block.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { notify } from '../ui/notices.ts'
import { Panel } from '../ui/page.tsx'
import type { InboxSettings } from './domain-page.tsx'

/** The DNS record that verifies the ownership of the domain. */
export function ProofPanel({ pending }: { pending: NonNullable<InboxSettings['pending']> }) {
  const isOwner = useIsOwner()
  const { domain, record } = pending
  const verify = useAction(() => trpc.inbox.settings.verify.mutate(), {
    changes: ['settings', 'team', 'mailboxes'],
    onDone: () => notify(`${domain} is verified.`),
  })
  return (
    <Panel
      title={`Verify ${domain}`}
      description="Add this record at your DNS provider. Until it is found, mail to the domain is rejected. A new record can take up to an hour to become visible."
    >
      <Records>
        <Record type={record.type} name={record.name} value={record.value} />
      </Records>
      {verify.failure && <FailureNotice failure={verify.failure} />}
      {isOwner && (
        <Button variant="primary" isBusy={verify.isRunning} onClick={() => verify.run()}>
          Verify
        </Button>
      )}
    </Panel>
  )
}

/** DNS records for mail from other servers. Apps that connect to the SMTP port directly need none. */
export function DnsHelp({ domain }: { domain: string | null }) {
  return (
    <Panel title="DNS">
      <p>
        Apps that send directly to the SMTP port of this server need no DNS records: any domain works. Other mail
        servers find this server through an MX record.
      </p>
      {domain && (
        <Records>
          <Record type="MX" name={domain} value={`10 ${serverName()}`} />
        </Records>
      )}
      <ul className="list-disc space-y-1 pl-5 text-sm text-quiet">
        <li>Other mail servers connect to port 25. Forward it to the SMTP port of Mailhatch.</li>
        <li>
          If the worker runs on Cloudflare, Email Routing creates the records. Route the catch-all address of the domain
          to the worker.
        </li>
        <li>Do not use a domain that receives real mail.</li>
      </ul>
    </Panel>
  )
}

/** The public host name, or a placeholder if this page was opened as `localhost` or by IP address. */
function serverName(): string {
  const { hostname } = location
  return hostname.includes('.') && !/^[\d.]+$/.test(hostname) ? hostname : 'name-of-this-server.example'
}

function Records({ children }: { children: ReactNode }) {
  return <dl className="divide-y divide-line rounded-md border border-line">{children}</dl>
}

function Record({ type, name, value }: { type: string; name: string; value: string }) {
  return (
    <div className="grid items-center gap-x-4 gap-y-1 p-3 text-sm sm:grid-cols-[auto_1fr] [&_dt]:text-quiet">
      <dt>Type</dt>
      <dd>{type}</dd>
      <dt>Name</dt>
      <dd>
        <CopyValue value={name} what="name" />
      </dd>
      <dt>Value</dt>
      <dd>
        <CopyValue value={value} what="value" />
      </dd>
    </div>
  )
}
