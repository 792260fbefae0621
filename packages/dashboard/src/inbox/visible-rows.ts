import { useLayoutEffect, useState, type RefObject } from 'react'

export type Range = { first: number; end: number }

/** Extra rows above and below the visible ones, so that fast scrolling shows no gaps. */
const ROWS_BEYOND = 10

type Window = { scrollTop: number; height: number; rowPixels: number; count: number }

/** The range of rows to render, `end` excluded, for rows of equal height. */
export function rangeOf({ scrollTop, height, rowPixels, count }: Window): Range {
  const seen = Math.floor(scrollTop / rowPixels)
  const first = Math.max(0, Math.min(seen, count - 1) - ROWS_BEYOND)
  const end = Math.min(count, seen + Math.ceil(height / rowPixels) + 1 + ROWS_BEYOND)
  return { first, end: Math.max(first, end) }
}

/** The current range. Re-renders only if it changes. */
export function useVisibleRows(
  scroller: RefObject<HTMLElement | null>,
  { rowPixels, count }: Pick<Window, 'rowPixels' | 'count'>,
): Range {
  const [range, setRange] = useState<Range>({ first: 0, end: 0 })
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const update = () => {
      const { scrollTop, clientHeight: height } = element
      const next = rangeOf({ scrollTop, height, rowPixels, count })
      setRange((before) => (before.first === next.first && before.end === next.end ? before : next))
    }
    update()
    const resized = new ResizeObserver(update)
    resized.observe(element)
    element.addEventListener('scroll', update, { passive: true })
    return () => {
      resized.disconnect()
      element.removeEventListener('scroll', update)
    }
  }, [scroller, rowPixels, count])
  // The list may have become shorter since the range was computed.
  return { first: Math.min(range.first, count), end: Math.min(range.end, count) }
}
