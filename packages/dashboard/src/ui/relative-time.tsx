import { useSyncExternalStore } from 'react'
import { usePreference } from '../preferences.ts'
import { serverNow } from '../server-time.ts'
import { exactText, pastText, relativeText } from './time-text.ts'

/** How often relative times update; one timer serves all of them. */
const TICK_MS = 15_000

let now = serverNow()
let timer: ReturnType<typeof setInterval> | null = null
const listeners = new Set<() => void>()

/** The time on the server. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

type Props = {
  /** ISO 8601. */
  at: string
  /** False in long lists, where every row would add a tab stop. */
  isFocusable?: boolean
  /** For what is planned, such as an expiry. Everything else has happened. */
  isPlanned?: boolean
}

/** A relative time, with the exact time on hover and focus. */
export function RelativeTime({ at, isFocusable = true, isPlanned = false }: Props) {
  const exact = exactText(Date.parse(at), usePreference('zone'))
  const now = useNow()
  const text = isPlanned ? relativeText(Date.parse(at), now) : pastText(Date.parse(at), now)
  if (!isFocusable) {
    return (
      <time dateTime={at} title={exact} className="whitespace-nowrap">
        {text}
      </time>
    )
  }
  return (
    <span
      tabIndex={0}
      role="note"
      aria-label={`${text}, ${exact}`}
      title={exact}
      className="group relative rounded whitespace-nowrap"
    >
      <time dateTime={at}>{text}</time>
      <span
        aria-hidden="true"
        className="absolute bottom-full left-0 z-10 mb-1.5 hidden rounded-md border border-line bg-raised px-2 py-1 text-xs text-ink shadow-float group-focus-visible:block"
      >
        {exact}
      </span>
    </span>
  )
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (!timer) {
    // While no time was shown, none was kept. React reads it again after subscribing.
    now = serverNow()
    timer = setInterval(tick, TICK_MS)
    document.addEventListener('visibilitychange', tick)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || !timer) return
    clearInterval(timer)
    timer = null
    document.removeEventListener('visibilitychange', tick)
  }
}

/** Browsers slow timers down in background tabs. */
function tick(): void {
  now = serverNow()
  for (const listener of listeners) listener()
}
