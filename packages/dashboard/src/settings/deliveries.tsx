import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { failureOf } from '../api/failure.ts'
import { trpc, type Outputs } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useIsOwner } from '../session.tsx'
import { Button, Buttons } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { Loading } from '../ui/loaded.tsx'
import { notify } from '../ui/notices.ts'
import { Panel } from '../ui/page.tsx'
import { DeliveryItem } from './delivery-item.tsx'
import type { Endpoint } from './webhooks-page.tsx'

export type Delivery = Outputs['webhooks']['deliveries'][number]

const PAGE = 25
/** Attempts happen in the background, so the list refreshes while it is open. */
const REFRESH_MS = 4_000

const FILTERS = [
  { status: null, text: 'All' },
  { status: 'failed', text: 'Failed' },
  { status: 'pending', text: 'Pending' },
  { status: 'success', text: 'Delivered' },
] as const

export function Deliveries({ endpoint: { id } }: { endpoint: Endpoint }) {
  const isOwner = useIsOwner()
  const [status, setStatus] = useState<Delivery['status'] | null>(null)
  const [limit, setLimit] = useState(PAGE)
  const { data, error, refetch } = useQuery({
    queryKey: ['deliveries', id, status, limit],
    queryFn: () => trpc.webhooks.deliveries.query({ id, status, limit }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  })
  const replayAll = useAction(() => trpc.webhooks.replayFailed.mutate({ id }), {
    changes: ['deliveries'],
    onDone: ({ replayed }) => notify(replayed === 1 ? 'Replaying 1 delivery.' : `Replaying ${replayed} deliveries.`),
  })
  return (
    <Panel
      title="Deliveries"
      description="One per message, kept for 30 days."
      isFlush
      actions={
        isOwner && (
          <Button icon="refresh" isBusy={replayAll.isRunning} onClick={() => replayAll.run()}>
            Replay all failed
          </Button>
        )
      }
    >
      <Buttons className="border-b border-line px-4 py-2">
        {FILTERS.map((filter) => (
          <Button
            key={filter.text}
            variant={filter.status === status ? 'plain' : 'quiet'}
            aria-pressed={filter.status === status}
            onClick={() => setStatus(filter.status)}
          >
            {filter.text}
          </Button>
        ))}
      </Buttons>
      {replayAll.failure && <FailureNotice failure={replayAll.failure} />}
      {error && !data && <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && (
        <EmptyState icon="webhook" title="No deliveries">
          <p>{status === null ? 'The next mail creates one, or send a test event.' : 'No delivery has this status.'}</p>
        </EmptyState>
      )}
      <ul className="divide-y divide-line">
        {data?.map((delivery) => (
          <DeliveryItem key={delivery.id} endpointId={id} delivery={delivery} />
        ))}
      </ul>
      {/* 100 is the server's limit per request. */}
      {data?.length === limit && limit < 100 && (
        <div className="border-t border-line p-2 text-center">
          <Button variant="quiet" onClick={() => setLimit(Math.min(limit + PAGE, 100))}>
            Show more
          </Button>
        </div>
      )}
    </Panel>
  )
}
