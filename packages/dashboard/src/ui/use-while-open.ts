import { useRef } from 'react'

/** Keeps the last content of a dialog while it fades out, because its data may already be gone. */
export function useWhileOpen<Shown>(isOpen: boolean, shown: Shown): Shown {
  const last = useRef(shown)
  if (isOpen) last.current = shown
  return last.current
}
