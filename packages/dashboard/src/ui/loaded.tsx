import { useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { failureOf, type Failure } from '../api/failure.ts'
import { Spinner } from './button.tsx'
import { FailureNotice } from './failure-notice.tsx'

/** Renders the result of a query, a spinner while it loads, or its error. */
export function Loaded<Data, Key extends readonly unknown[]>({
  query,
  failed,
  children,
}: {
  query: UseQueryOptions<Data, Error, Data, Key>
  /** What to show for some failures, even if the data was loaded before. False or null for the others. */
  failed?: (failure: Failure) => ReactNode
  children: (data: Data) => ReactNode
}) {
  const { data, error, refetch } = useQuery(query)
  const shown = error && failed?.(failureOf(error))
  if (shown) return shown
  if (data !== undefined) return children(data)
  if (error) return <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
  return <Loading />
}

/** Fast responses should not flash a spinner. */
const SPINNER_DELAY_MS = 200

export function Loading() {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SPINNER_DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p className="flex min-h-24 items-center justify-center gap-2 text-quiet" aria-live="polite" aria-busy="true">
      {isLate && (
        <>
          <Spinner /> Loading…
        </>
      )}
    </p>
  )
}
