import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { failureOf } from '../api/failure.ts'
import { trpc, type Outputs } from '../api/trpc.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { Loading } from '../ui/loaded.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import type { Delivery } from './deliveries.tsx'

type Attempt = Outputs['webhooks']['attempts']['attempts'][number]

/** The request body, and every attempt with its response, newest first. */
export function DeliveryAttempts({ endpointId, delivery }: { endpointId: string; delivery: Delivery }) {
  const { id: deliveryId, attempt: count } = delivery
  const { data, error, refetch } = useQuery({
    // The count in the key reloads the list when the delivery has a new attempt.
    queryKey: ['attempts', deliveryId, count],
    queryFn: () => trpc.webhooks.attempts.query({ id: endpointId, deliveryId }),
    placeholderData: keepPreviousData,
  })
  if (error && !data) return <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const { requestBody, attempts } = data
  // For example, the endpoint was disabled before the next attempt.
  const isOtherError = delivery.error !== null && delivery.error !== attempts[0]?.error
  return (
    <div className="space-y-2">
      <h3 className="font-medium">Attempts</h3>
      {isOtherError && <p className="text-danger">{delivery.error}</p>}
      {attempts.length === 0 && <p className="text-quiet">{count === 0 ? 'None yet.' : 'No longer stored.'}</p>}
      <ol aria-label="Attempts, newest first" className="space-y-2">
        {attempts.map((attempt, index) => (
          <AttemptItem key={attempts.length - index} attempt={attempt} />
        ))}
      </ol>
      <CodeBlock label="Request body" code={indented(requestBody)} />
    </div>
  )
}

/** For display only. The signature covers the body as it was sent. */
function indented(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2)
}

function AttemptItem({ attempt: { at, httpStatus, latencyMs, responseBody, error } }: { attempt: Attempt }) {
  return (
    <li className="space-y-1.5">
      <p className="flex flex-wrap gap-x-3">
        <RelativeTime at={at} />
        <span className="font-mono">{httpStatus ?? 'no response'}</span>
        {latencyMs !== null && <span className="text-quiet tabular-nums">{latencyMs} ms</span>}
        {error && <span className="text-danger">{error}</span>}
      </p>
      {responseBody && (
        <pre
          tabIndex={0}
          role="group"
          aria-label="Response body"
          className="max-h-48 overflow-auto whitespace-pre-wrap rounded-md border border-line bg-raised p-2.5 font-mono text-xs"
        >
          {responseBody}
        </pre>
      )}
    </li>
  )
}
