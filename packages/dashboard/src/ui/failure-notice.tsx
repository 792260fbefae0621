import { adviceFor, type Failure } from '../api/failure.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

/** The error message, advice, and the request id to look for in the server log. */
export function FailureNotice({ failure, onRetry }: { failure: Failure; onRetry?: () => void }) {
  const advice = adviceFor(failure)
  const details = Object.entries(failure.details)
  return (
    <div role="alert" className="flex gap-2.5 rounded-md border border-danger/40 bg-danger-soft px-3 py-2.5 text-sm">
      <span className="mt-0.5 text-danger">
        <Icon name="warning" />
      </span>
      <div className="min-w-0 grow space-y-1">
        <p className="font-medium">{failure.message}</p>
        {details.map(([field, problems]) => (
          <p key={field}>
            {field}: {problems.join(', ')}
          </p>
        ))}
        {advice && <p>{advice}</p>}
        <p className="font-mono text-xs text-quiet">
          {failure.code}
          {failure.requestId && ` · request ${failure.requestId}`}
        </p>
      </div>
      {onRetry && (
        <Button icon="refresh" onClick={onRetry} className="self-start">
          Try again
        </Button>
      )}
    </div>
  )
}
