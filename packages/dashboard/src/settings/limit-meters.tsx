import type { Outputs } from '../api/trpc.ts'
import { Badge } from '../ui/badge.tsx'
import { Panel } from '../ui/page.tsx'
import { RetentionNotice } from './retention-notice.tsx'
import { countText } from './usage-text.ts'

type Usage = Outputs['usage']['current']

/** The limits of the plan and their usage. */
export function LimitMeters({ usage }: { usage: Usage }) {
  return (
    <Panel title={`Plan: ${usage.plan}`}>
      <dl className="space-y-3">
        <Meter name="Mailboxes" used={usage.mailboxes} />
        <Meter name="API keys" used={usage.keys} />
        <Meter name="Members" used={usage.members} />
        <div className="flex flex-wrap justify-between gap-2">
          <dt className="text-quiet">Requests per minute</dt>
          <dd className="tabular-nums">{usage.requestsPerMinute.toLocaleString('en')}</dd>
        </div>
        <div className="flex flex-wrap justify-between gap-2">
          <dt className="text-quiet">Retention</dt>
          <dd>
            <RetentionNotice days={usage.retentionDays} />
          </dd>
        </div>
      </dl>
    </Panel>
  )
}

function Meter({ name, used }: { name: string; used: Usage['keys'] }) {
  const isFull = used.limit !== null && used.used >= used.limit
  return (
    <div className="flex flex-wrap justify-between gap-x-2 gap-y-1">
      <dt className="text-quiet">{name}</dt>
      <dd className="tabular-nums">
        {isFull && <Badge tone="warn">limit reached</Badge>} {countText(used)}
        {used.limit === null && <span className="text-quiet">, no limit</span>}
      </dd>
      {used.limit !== null && (
        <dd className="w-full" aria-hidden="true">
          <svg className="h-1.5 w-full overflow-hidden rounded-full bg-hover">
            <rect
              height="100%"
              width={`${Math.min(100, (used.used / used.limit) * 100)}%`}
              className={isFull ? 'fill-warn' : 'fill-accent'}
            />
          </svg>
        </dd>
      )}
    </div>
  )
}
