import type { RefObject } from 'react'
import { useShortcuts } from '../keyboard.ts'
import { useIsOwner } from '../session.tsx'
import { markRead } from './read-marks.ts'
import type { Inbox } from './use-inbox.ts'

/** Keyboard shortcuts of the list; the message pane has its own. */
export function useInboxKeys(inbox: Inbox, searchInput: RefObject<HTMLInputElement | null>): void {
  const isOwner = useIsOwner()
  const { place, focusedId, go } = inbox
  const open = () => {
    if (place.id === null && focusedId !== null) go({ id: focusedId })
  }
  const back = () => {
    if (place.id !== null) inbox.goBack()
    else inbox.clearSelection()
  }
  useShortcuts([
    { keys: 'j', label: 'Next message', run: () => inbox.step(1) },
    { keys: 'k', label: 'Previous message', run: () => inbox.step(-1) },
    { keys: 'o', label: 'Open message', run: open },
    { keys: 'u', label: 'Back to list', run: back },
    { keys: 'Escape', label: 'Back to list', run: back },
    {
      keys: 'x',
      label: 'Select message',
      run: () => {
        const id = place.id ?? focusedId
        if (id !== null) inbox.toggleSelected(id)
      },
    },
    { keys: 'a', label: 'Select all', run: () => void inbox.selectAll() },
    { keys: 'I', label: 'Mark as read', run: () => markRead(inbox.targets(), true) },
    { keys: 'U', label: 'Mark as unread', run: () => markRead(inbox.targets(), false) },
    ...(isOwner ? [{ keys: '#', label: 'Delete (5 s to undo)', run: inbox.remove }] : []),
    { keys: '/', label: 'Search', run: () => searchInput.current?.focus() },
    { keys: 'r', label: 'Reload list', run: inbox.reload },
  ])
}
