import { useEffect, useRef, useState } from 'react'
import { classNames } from '../ui/class-names.ts'
import { announce } from '../ui/notices.ts'
import type { LiveState } from './live-mail.ts'

/** The state of the live connection, as text and as a coloured dot. */
export function ConnectionStatus({ state, onRetryNow }: { state: LiveState; onRetryNow: () => void }) {
  const seconds = useSecondsUntil(state.kind === 'waiting' ? state.until : null)
  useAnnouncements(state.kind)
  return (
    <span className="flex items-center gap-1.5 whitespace-nowrap text-xs text-quiet" data-connection={state.kind}>
      <span
        className={classNames(
          'size-2 shrink-0 rounded-full',
          state.kind === 'live' ? 'bg-good' : state.kind === 'connecting' ? 'bg-line-strong' : 'bg-danger',
        )}
      />
      {state.kind === 'live' && 'Live'}
      {state.kind === 'connecting' && 'Connecting…'}
      {state.kind === 'offline' && 'Offline'}
      {state.kind === 'waiting' && (
        <>
          Reconnecting in {seconds} s
          <button type="button" className="link min-h-6" onClick={onRetryNow}>
            Retry now
          </button>
        </>
      )}
    </span>
  )
}

function useSecondsUntil(until: number | null): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (until === null) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [until])
  return until === null ? 0 : Math.max(0, Math.ceil((until - now) / 1000))
}

/** Announces to screen readers that the connection was lost or restored, but not the countdown. */
function useAnnouncements(kind: LiveState['kind']): void {
  const wasLost = useRef(false)
  useEffect(() => {
    const isLost = kind === 'waiting' || kind === 'offline'
    if (isLost && !wasLost.current) announce('Connection lost. New mail is not shown.')
    if (kind === 'live' && wasLost.current) announce('Connection restored.')
    if (kind !== 'connecting') wasLost.current = isLost
  }, [kind])
}
