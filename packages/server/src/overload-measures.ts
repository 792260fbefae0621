import { totalmem } from 'node:os'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Sooner than any turn of the event loop that somebody would notice. */
const PROBE_MS = 1

export type Memory = {
  residentBytes: number
  /** What the process may have: the limit of its container, or all that the machine has. */
  limitBytes: number
  /** Of the heap of JavaScript, garbage included. */
  heapBytes: number
  /** Where V8 ends the process. */
  heapBytesMax: number
  /** Bytes of buffers, which are not in the heap. */
  bufferBytes: number
}

/** What can be known of how busy this process is. */
export type Measures = {
  now(): number
  /** By how much the event loop is late for something that is due at once. */
  lateMs(): Promise<number>
  memory(): Memory
  collectGarbage(): void
}

export const processMeasures: Measures = {
  now: () => performance.now(),
  /**
   * A timer of its own: with turns of 300 ms each, one of 500 ms is late by 100 ms, this one by 300 ms. Node's own
   * histogram says the same, and wakes the process 50 times a second for it.
   */
  lateMs: () =>
    new Promise((resolve) => {
      const dueAt = performance.now() + PROBE_MS
      setTimeout(() => resolve(performance.now() - dueAt), PROBE_MS).unref()
    }),
  memory() {
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage()
    return {
      residentBytes: rss,
      limitBytes: MEMORY_BYTES,
      heapBytes: heapUsed,
      heapBytesMax: HEAP_BYTES_MAX,
      bufferBytes: arrayBuffers,
    }
  },
  collectGarbage() {
    // Only what is made while the flag is set can collect; so no start needs the flag.
    setFlagsFromString('--expose-gc')
    runInNewContext('gc()')
    setFlagsFromString('--no-expose-gc')
  },
}

const HEAP_BYTES_MAX = getHeapStatistics().heap_size_limit
const MEMORY_BYTES = findMemoryBytes(process.constrainedMemory(), totalmem())

/** Without a container the constraint is 0 or larger than any machine. */
function findMemoryBytes(constrainedBytes: number, machineBytes: number): number {
  return constrainedBytes > 0 ? Math.min(constrainedBytes, machineBytes) : machineBytes
}
