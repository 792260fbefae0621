import { processMeasures, type Measures } from './overload-measures.ts'

const LOOK_EVERY_MS = 5_000
/** Of the time since the last look. Without requests, a server is busy for less than a hundredth. */
const BUSY_SHARE_MAX = 0.05
/** The start alone leaves about 15 MB, and as much again in memory that V8 keeps for more. */
const GARBAGE_BYTES_MIN = 8 * 1024 * 1024
/** Collecting takes about a millisecond for each megabyte in use. A larger heap is left to V8. */
const HEAP_BYTES_MAX = 128 * 1024 * 1024

/** V8 collects garbage only when it needs room, so a program that has nothing to do would keep it for ever. */
export function collectWhenIdle(measures: Measures = processMeasures): void {
  let keptBytes = 0

  function look(): void {
    const isBusy = measures.busyShare() > BUSY_SHARE_MAX
    const { heapBytes } = measures.memory()
    keptBytes = Math.min(keptBytes, heapBytes)
    if (isBusy || heapBytes > HEAP_BYTES_MAX || heapBytes - keptBytes < GARBAGE_BYTES_MIN) return
    measures.collectGarbage()
    keptBytes = measures.memory().heapBytes
  }

  setInterval(look, LOOK_EVERY_MS).unref()
}
