import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { collectWhenIdle } from './idle-garbage.ts'

const LOOK_MS = 2_000
const MEBIBYTE = 1024 * 1024
const KEPT = 20

/** A program whose figures the test sets, in MiB. Collecting leaves what is kept. */
function startIn(given: Partial<{ heap: number; buffers: number; busyShare: number; collectMs: number }> = {}) {
  const figures = { heap: 34, buffers: 0, busyShare: 0, collectMs: 25, ...given }
  const collectGarbage = vi.fn<() => void>(() => {
    figures.heap = Math.min(figures.heap, KEPT)
    figures.buffers = 0
    vi.setSystemTime(Date.now() + figures.collectMs)
  })
  collectWhenIdle({
    busyShare: () => figures.busyShare,
    memory: () => ({ heapBytes: figures.heap * MEBIBYTE, bufferBytes: figures.buffers * MEBIBYTE }),
    collectGarbage,
  })
  return { figures, collectGarbage, look: () => vi.advanceTimersByTime(LOOK_MS) }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now())
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('limit: what a start has left is collected once the program was busy for at most 2 % in two looks', () => {
  const { figures, look, collectGarbage } = startIn({ busyShare: 0.021 })
  look()
  figures.busyShare = 0.02
  look()
  expect(collectGarbage).not.toHaveBeenCalled()
  look()
  look()
  expect(collectGarbage).toHaveBeenCalledOnce()
})

test.each(['heap', 'buffers'] as const)('limit: then it is collected again for 8 MiB of garbage: %s', (where) => {
  const { figures, look, collectGarbage } = startIn()
  look()
  look()
  figures[where] += 7.9
  look()
  expect(collectGarbage).toHaveBeenCalledOnce()
  figures[where] += 0.1
  look()
  expect(collectGarbage).toHaveBeenCalledTimes(2)
})

test('what V8 has collected by itself counts', () => {
  const { figures, look, collectGarbage } = startIn()
  look()
  look()
  figures.heap = KEPT - 5
  look()
  figures.heap = KEPT + 3
  look()
  expect(collectGarbage).toHaveBeenCalledTimes(2)
})

test('a collection that takes ten times as long is repeated for ten times as much', () => {
  const { figures, look, collectGarbage } = startIn({ heap: 1_000, collectMs: 250 })
  look()
  look()
  figures.heap = KEPT + 79
  look()
  expect(collectGarbage).toHaveBeenCalledOnce()
  figures.heap = KEPT + 80
  look()
  expect(collectGarbage).toHaveBeenCalledTimes(2)
})
