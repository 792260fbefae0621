import { useState } from 'react'
import { queries } from '../api/queries.ts'
import { trpc, type Outputs } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useIsOwner } from '../session.tsx'
import { Button, Buttons } from '../ui/button.tsx'
import { CopyValue } from '../ui/code-block.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { TextField } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { notify } from '../ui/notices.ts'
import { OwnersOnly } from '../ui/owners-only.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { DnsHelp, ProofPanel } from './dns-help.tsx'

export type InboxSettings = Outputs['inbox']['settings']['get']

export function DomainPage() {
  return (
    <Page
      title="Domain"
      description="With a custom domain, the team receives mail for every address on it, without creating mailboxes first."
    >
      <OwnersOnly what="change the domain" />
      <Loaded query={queries.settings}>{(settings) => <DomainSettings settings={settings} />}</Loaded>
    </Page>
  )
}

function DomainSettings({ settings }: { settings: InboxSettings }) {
  const { domain, rootDomain, pending } = settings
  return (
    <>
      <Panel>
        <p>
          Addresses end in <CopyValue value={`@${domain ?? rootDomain}`} what="domain" />
          <span className="text-quiet">{domain ? ' (custom domain)' : ' (shared with other teams)'}</span>
        </p>
        {useIsOwner() && <DomainForm key={domain} settings={settings} />}
      </Panel>
      {pending && <ProofPanel pending={pending} />}
      <DnsHelp domain={pending?.domain ?? domain} />
    </>
  )
}

function DomainForm({ settings: { domain, rootDomain } }: { settings: InboxSettings }) {
  const [name, setName] = useState(domain ?? '')
  const save = useAction((chosen: string | null) => trpc.inbox.settings.update.mutate({ domain: chosen }), {
    changes: ['settings', 'team', 'mailboxes'],
    onDone: ({ pending }) =>
      notify(pending ? 'Saved. Add the TXT record below to verify the domain.' : 'Domain saved.'),
  })
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault()
        save.run(name.trim() || null)
      }}
    >
      <TextField
        label="Custom domain"
        hint={`A domain you own and use for nothing else, such as mail.staging.example. Leave empty to use ${rootDomain}.`}
        autoCapitalize="none"
        spellCheck={false}
        className="max-w-md"
        value={name}
        problems={save.failure?.details['domain']}
        onChange={(event) => setName(event.target.value)}
      />
      {save.failure && <FailureNotice failure={save.failure} />}
      <Buttons>
        <Button type="submit" variant="primary" isBusy={save.isRunning} disabled={name.trim() === (domain ?? '')}>
          Save
        </Button>
        <span className="text-sm text-quiet">Mailboxes move to the new domain. Stored mail keeps its address.</span>
      </Buttons>
    </form>
  )
}
