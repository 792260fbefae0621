import { useState } from 'react'
import { Link } from 'wouter'
import { trpc } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useIsOwner } from '../session.tsx'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { Icon } from '../ui/icon.tsx'
import { notify } from '../ui/notices.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import type { Delivery } from './deliveries.tsx'
import { DeliveryAttempts } from './delivery-attempts.tsx'

const STATES: Record<Delivery['status'], { text: string; tone: Tone }> = {
  success: { text: 'delivered', tone: 'good' },
  failed: { text: 'failed', tone: 'danger' },
  pending: { text: 'pending', tone: 'warn' },
}

export function DeliveryItem({ endpointId, delivery }: { endpointId: string; delivery: Delivery }) {
  const [isOpen, setOpen] = useState(false)
  const { text, tone } = STATES[delivery.status]
  const { httpStatus, latencyMs, attempt, createdAt, error } = delivery
  return (
    <li>
      <details className="group" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-2 text-sm hover:bg-hover focus-visible:-outline-offset-2">
          <span className="transition-transform group-open:rotate-90">
            <Icon name="next" size={12} />
          </span>
          <span className="w-20">
            <Badge tone={tone}>{text}</Badge>
          </span>
          <span className="w-16 font-mono text-xs">{httpStatus ?? '—'}</span>
          <span className="w-20 text-quiet tabular-nums">{latencyMs === null ? '' : `${latencyMs} ms`}</span>
          <span className="min-w-0 grow truncate text-quiet">{error ?? delivery.event}</span>
          {attempt > 1 && <span className="text-quiet">{attempt} attempts</span>}
          <RelativeTime at={createdAt} isFocusable={false} />
        </summary>
        {isOpen && <DeliveryDetails endpointId={endpointId} delivery={delivery} />}
      </details>
    </li>
  )
}

function DeliveryDetails({ endpointId, delivery }: { endpointId: string; delivery: Delivery }) {
  const isOwner = useIsOwner()
  const { id, event, messageId, nextAttemptAt } = delivery
  const replay = useAction(() => trpc.webhooks.replay.mutate({ id: endpointId, deliveryId: id }), {
    changes: ['deliveries'],
    onDone: () => notify('Replaying the delivery.'),
  })
  return (
    <div className="space-y-3 bg-sunken px-4 py-3 text-sm sm:pl-10">
      <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[auto_1fr] [&_dt]:text-quiet">
        <dt>Request</dt>
        <dd>
          <code className="font-mono">{event}</code> <span className="text-quiet">{id}</span>
        </dd>
        <dt>Message</dt>
        <dd>
          {messageId ? (
            <Link href={`/m/${messageId}`} className="link">
              Open message
            </Link>
          ) : (
            'none: a test event, or the message was deleted'
          )}
        </dd>
        {nextAttemptAt && (
          <>
            <dt>Next attempt</dt>
            <dd>
              <RelativeTime at={nextAttemptAt} isPlanned />
            </dd>
          </>
        )}
      </dl>
      <DeliveryAttempts endpointId={endpointId} delivery={delivery} />
      {replay.failure && <FailureNotice failure={replay.failure} />}
      {isOwner && (
        <Button icon="refresh" isBusy={replay.isRunning} onClick={() => replay.run()}>
          Replay
        </Button>
      )}
    </div>
  )
}
