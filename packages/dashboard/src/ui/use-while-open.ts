import { useRef } from 'react'

/** What was shown last, while it fades away: what it was about may be gone by then. */
export function useWhileOpen<Shown>(isOpen: boolean, shown: Shown): Shown {
  const last = useRef(shown)
  if (isOpen) last.current = shown
  return last.current
}
