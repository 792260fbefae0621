import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { collectWhenIdle } from './idle-garbage.ts'
import { processMeasures } from './overload-measures.ts'

const LOOK_MS = 5_000
const MEBIBYTE = 1024 * 1024
const USED = 20

/** A program whose heap in MiB and whose business the test sets. */
function startIn(figures: { heap: number; busyShare: number }) {
  const collectGarbage = vi.fn<() => void>(() => void (figures.heap = Math.min(figures.heap, USED)))
  collectWhenIdle({
    ...processMeasures,
    busyShare: () => figures.busyShare,
    memory: () => ({ ...processMeasures.memory(), heapBytes: figures.heap * MEBIBYTE }),
    collectGarbage,
  })
  return { figures, collectGarbage, look: () => vi.advanceTimersByTime(LOOK_MS) }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a program collects what its start has left, once it is idle', () => {
  const { figures, look, collectGarbage } = startIn({ heap: 34, busyShare: 0.051 })
  look()
  expect(collectGarbage).not.toHaveBeenCalled()
  figures.busyShare = 0.05
  look()
  look()
  expect(collectGarbage).toHaveBeenCalledOnce()
})

test('limit: then it collects again for 8 MiB', () => {
  const { figures, look, collectGarbage } = startIn({ heap: 34, busyShare: 0 })
  look()
  figures.heap = USED + 7.9
  look()
  expect(collectGarbage).toHaveBeenCalledOnce()
  figures.heap = USED + 8
  look()
  expect(collectGarbage).toHaveBeenCalledTimes(2)
})

test('what V8 has collected by itself counts', () => {
  const { figures, look, collectGarbage } = startIn({ heap: 34, busyShare: 0 })
  look()
  figures.heap = USED - 5
  look()
  figures.heap = USED + 3
  look()
  expect(collectGarbage).toHaveBeenCalledTimes(2)
})

test('limit: a heap of more than 128 MiB is left alone, because collecting it would be noticed', () => {
  const { figures, look, collectGarbage } = startIn({ heap: 128.1, busyShare: 0 })
  look()
  expect(collectGarbage).not.toHaveBeenCalled()
  figures.heap = 128
  look()
  expect(collectGarbage).toHaveBeenCalledOnce()
})
