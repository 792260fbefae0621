import { useLayoutEffect, useState, type RefObject } from 'react'

export type Range = { first: number; end: number }

/** Rows drawn beyond what can be seen, so that quick scrolling shows no gaps. */
const ROWS_BEYOND = 10

type Window = { scrollTop: number; height: number; rowPixels: number; count: number }

/** Which rows of a list of equal ones are to be drawn: `first` up to, and without, `end`. */
export function rangeOf({ scrollTop, height, rowPixels, count }: Window): Range {
  const seen = Math.floor(scrollTop / rowPixels)
  const first = Math.max(0, Math.min(seen, count - 1) - ROWS_BEYOND)
  const end = Math.min(count, seen + Math.ceil(height / rowPixels) + 1 + ROWS_BEYOND)
  return { first, end: Math.max(first, end) }
}

/** The same as the list is scrolled; drawn anew only when other rows come into sight. */
export function useVisibleRows(
  scroller: RefObject<HTMLElement | null>,
  { rowPixels, count }: Pick<Window, 'rowPixels' | 'count'>,
): Range {
  const [range, setRange] = useState<Range>({ first: 0, end: 0 })
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const look = () => {
      const { scrollTop, clientHeight: height } = element
      const next = rangeOf({ scrollTop, height, rowPixels, count })
      setRange((before) => (before.first === next.first && before.end === next.end ? before : next))
    }
    look()
    const resized = new ResizeObserver(look)
    resized.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      resized.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [scroller, rowPixels, count])
  // Of a list that has become shorter meanwhile.
  return { first: Math.min(range.first, count), end: Math.min(range.end, count) }
}
