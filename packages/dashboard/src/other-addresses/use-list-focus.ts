import { useState } from 'react'
import { useShortcuts } from '../keyboard.ts'

/** Keyboard shortcuts of the list, as in the inbox. `go` opens a message, or the list if the id is null. */
export function useListFocus(messages: { id: string }[], openId: string | null, go: (id: string | null) => void) {
  const [focusedId, setFocusedId] = useState<string | null>(null)
  const [focusCalls, setFocusCalls] = useState(0)

  function focusOn(id: string | null): void {
    setFocusedId(id)
    setFocusCalls((calls) => calls + 1)
  }

  function step(by: number): void {
    const index = messages.findIndex(({ id }) => id === (openId ?? focusedId))
    const next = messages[index === -1 ? 0 : index + by]
    if (!next) return
    if (openId === null) return focusOn(next.id)
    setFocusedId(next.id)
    go(next.id)
  }

  function goBack(): void {
    if (openId === null) return
    go(null)
    focusOn(openId)
  }

  useShortcuts([
    { keys: 'j', label: 'Next message', run: () => step(1) },
    { keys: 'k', label: 'Previous message', run: () => step(-1) },
    { keys: 'o', label: 'Open message', run: () => openId === null && focusedId !== null && go(focusedId) },
    { keys: 'u', label: 'Back to list', run: goBack },
    { keys: 'Escape', label: 'Back to list', run: goBack },
  ])
  return { focusedId, setFocusedId, focusCalls, goBack }
}
