import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { queries } from '../api/queries.ts'
import type { Outputs } from '../api/trpc.ts'
import { useSession } from '../session.tsx'
import { CopyValue } from '../ui/code-block.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { RetentionNotice } from './retention-notice.tsx'
import { countText } from './usage-text.ts'

export function OverviewPage() {
  const { team } = useSession()
  return (
    <Page title={team.name} description="Usage and settings of the team.">
      <Loaded query={queries.usage}>{(usage) => <Facts usage={usage} />}</Loaded>
    </Page>
  )
}

function Facts({ usage }: { usage: Outputs['usage']['current'] }) {
  const { team } = useSession()
  return (
    <Panel isFlush>
      <dl className="divide-y divide-line">
        <Fact name="Domain" to="/settings/domain">
          <CopyValue value={`@${team.domain}`} what="domain" />
        </Fact>
        <Fact name="Messages" to="/settings/usage">
          {usage.messages.toLocaleString('en')}
        </Fact>
        <Fact name="Retention" to={null}>
          <RetentionNotice days={usage.retentionDays} />
        </Fact>
        <Fact name="Plan" to="/settings/billing">
          <span className="capitalize">{usage.plan}</span>
        </Fact>
        <Fact name="Mailboxes" to="/settings/mailboxes">
          {countText(usage.mailboxes)}
        </Fact>
        <Fact name="API keys" to="/settings/keys">
          {countText(usage.keys)}
        </Fact>
        <Fact name="Webhooks" to="/settings/webhooks">
          {usage.webhooks.isAvailable ? usage.webhooks.used : 'Not on this plan'}
        </Fact>
        <Fact name="Members" to="/settings/team">
          {countText(usage.members)}
        </Fact>
      </dl>
    </Panel>
  )
}

function Fact({ name, to, children }: { name: string; to: string | null; children: ReactNode }) {
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-1.5">
      <dt className="w-36 text-quiet">{name}</dt>
      <dd className="min-w-0 grow sm:basis-0">{children}</dd>
      {to && (
        <dd className="text-sm">
          <Link href={to} className="link" aria-label={`${name}: open`}>
            Open
          </Link>
        </dd>
      )}
    </div>
  )
}
