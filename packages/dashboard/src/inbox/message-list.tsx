import { useEffect, useRef } from 'react'
import { Spinner } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { useMailSource } from './mail-source.ts'
import { MessageRow, ROW_PIXELS } from './message-row.tsx'
import { usePreviews } from './previews.ts'
import type { MessageList as List } from './use-messages.ts'
import { useVisibleRows } from './visible-rows.ts'

/** Loads the next page when this many rows are left. */
const ROWS_AHEAD = 30

type Props = {
  list: List
  openId: string | null
  /** The message that keyboard shortcuts act on. */
  focusedId: string | null
  selected: ReadonlySet<string>
  /** Incremented to scroll to the focused row and focus it. */
  focusCalls: number
  hrefOf: (id: string) => string
  onSelect: (id: string) => void
  onFocus: (id: string) => void
  onTop: (isAtTop: boolean) => void
}

/** A virtual list: renders only the visible rows. */
export function MessageList({ list, openId, focusedId, selected, focusCalls, hrefOf, ...on }: Props) {
  const source = useMailSource()
  const scroller = useRef<HTMLDivElement>(null)
  const { messages, hasMore, loadMore } = list
  const { first, end } = useVisibleRows(scroller, { rowPixels: ROW_PIXELS, count: messages.length })
  const rows = messages.slice(first, end)
  const previews = usePreviews(
    source,
    rows.map(({ id }) => id),
  )
  useEffect(() => {
    if (hasMore && end >= messages.length - ROWS_AHEAD) loadMore()
  }, [end, messages.length, hasMore, loadMore])

  const focusedIndex = messages.findIndex(({ id }) => id === focusedId)
  useEffect(() => {
    if (focusCalls === 0 || focusedIndex === -1) return
    bringIntoView(scroller.current!, focusedIndex)
    const selector = `[data-message="${CSS.escape(messages[focusedIndex]!.id)}"]`
    const focusRow = () => {
      const row = scroller.current!.querySelector<HTMLElement>(selector)
      row?.focus({ preventScroll: true })
      return row !== null
    }
    // Focus at once if the row is rendered, so that an immediate Enter opens it. Otherwise wait until it is.
    if (focusRow()) return
    const timer = requestAnimationFrame(focusRow)
    return () => cancelAnimationFrame(timer)
  }, [focusCalls])

  const stopIndex = focusedIndex === -1 ? 0 : focusedIndex
  return (
    <div
      ref={scroller}
      className="min-h-0 grow overflow-y-auto overscroll-contain"
      onScroll={(event) => on.onTop(event.currentTarget.scrollTop < ROW_PIXELS)}
    >
      <ul aria-label="Messages" className="relative" style={{ height: messages.length * ROW_PIXELS }}>
        {rows.map((message, offset) => {
          const index = first + offset
          return (
            <MessageRow
              key={message.id}
              message={message}
              preview={previews.get(message.id)}
              href={hrefOf(message.id)}
              position={{ index, count: hasMore ? -1 : messages.length }}
              isOpen={message.id === openId}
              isRead={message.isRead}
              isSelected={selected.has(message.id)}
              isStop={index === stopIndex}
              style={{ height: ROW_PIXELS, transform: `translateY(${index * ROW_PIXELS}px)` }}
              onSelect={() => on.onSelect(message.id)}
              onFocus={() => on.onFocus(message.id)}
            />
          )
        })}
      </ul>
      {list.isLoadingMore && (
        <p className="flex items-center justify-center gap-2 py-3 text-sm text-quiet">
          <Spinner /> Loading older messages…
        </p>
      )}
      {list.failure && (
        <div className="p-3">
          <FailureNotice failure={list.failure} onRetry={list.reload} />
        </div>
      )}
    </div>
  )
}

/** Scrolls as little as possible; does nothing if the row is already visible. */
function bringIntoView(scroller: HTMLElement, index: number): void {
  const top = index * ROW_PIXELS
  const { scrollTop, clientHeight } = scroller
  if (top < scrollTop) scroller.scrollTop = top
  else if (top + ROW_PIXELS > scrollTop + clientHeight) scroller.scrollTop = top + ROW_PIXELS - clientHeight
}
