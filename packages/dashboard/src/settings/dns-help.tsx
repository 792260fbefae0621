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

/** The record that shows that the domain is theirs. */
export function ProofPanel({ pending }: { pending: NonNullable<InboxSettings['pending']> }) {
  const isOwner = useIsOwner()
  const { domain, record } = pending
  const verify = useAction(() => trpc.inbox.settings.verify.mutate(), {
    changes: ['settings', 'team', 'mailboxes'],
    onDone: () => notify(`${domain} is yours now.`),
  })
  return (
    <Panel
      title={`Show that ${domain} is yours`}
      description="Add this record where the domain is managed. Until it is found, mail there is refused. New records can take an hour to be seen."
    >
      <Records>
        <Record type={record.type} name={record.name} value={record.value} />
      </Records>
      {verify.failure && <FailureNotice failure={verify.failure} />}
      {isOwner && (
        <Button look="primary" isBusy={verify.isRunning} onClick={() => verify.run()}>
          Look for the record
        </Button>
      )}
    </Panel>
  )
}

/** How mail from anywhere finds the server; mail that an app hands over by SMTP needs none of it. */
export function DnsHelp({ domain }: { domain: string | null }) {
  return (
    <Panel title="DNS">
      <p>
        Apps that send straight to the SMTP port of this server need no DNS: any name works. Mail that other servers
        send finds its way by an MX record.
      </p>
      {domain && (
        <Records>
          <Record type="MX" name={domain} value={`10 ${serverName()}`} />
        </Records>
      )}
      <ul className="list-disc space-y-1 pl-5 text-sm text-quiet">
        <li>Other servers send to port 25: let it lead to the SMTP port of Mailhatch.</li>
        <li>
          With the worker on Cloudflare, Email Routing makes the records itself; route the catch-all address of the
          domain to the worker.
        </li>
        <li>Do not use a domain on which people get mail.</li>
      </ul>
    </Panel>
  )
}

/** As other machines know it, which `localhost` is not. */
function serverName(): string {
  const { hostname } = location
  return hostname.includes('.') && !/^[\d.]+$/.test(hostname) ? hostname : 'the.name.of.this.server'
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
        <CopyValue value={name} what="the name" />
      </dd>
      <dt>Value</dt>
      <dd>
        <CopyValue value={value} what="the value" />
      </dd>
    </div>
  )
}
