import { totalmem } from 'node:os'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Shorter than any delay of the event loop that users notice. */
const PROBE_MS = 1

export type Memory = {
  residentBytes: number
  /** Memory limit of the process: that of its container, or the memory of the machine. */
  limitBytes: number
  /** JavaScript heap in use, including garbage. */
  heapBytes: number
  /** Heap size at which V8 ends the process. */
  heapBytesMax: number
  /** Bytes of buffers, which are outside the heap. */
  bufferBytes: number
}

/** Measurements of how busy this process is. */
export type Measures = {
  now(): number
  /** Delay of the event loop: how late a timer fires that is due at once. */
  lateMs(): Promise<number>
  memory(): Memory
  collectGarbage(): void
}

export const processMeasures: Measures = {
  now: () => performance.now(),
  /**
   * Uses its own short timer: with event loop turns of 300 ms, a 500 ms timer is late by 100 ms, this one by 300 ms.
   * Node's histogram measures the same but wakes the process 50 times a second.
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
    // Only a context created while the flag is set can collect garbage, so the process need not start with it.
    setFlagsFromString('--expose-gc')
    runInNewContext('gc()')
    setFlagsFromString('--no-expose-gc')
  },
}

const HEAP_BYTES_MAX = getHeapStatistics().heap_size_limit
const MEMORY_BYTES = findMemoryBytes(process.constrainedMemory(), totalmem())

/** Without a container, the constraint is 0 or larger than the machine's memory. */
function findMemoryBytes(constrainedBytes: number, machineBytes: number): number {
  return constrainedBytes > 0 ? Math.min(constrainedBytes, machineBytes) : machineBytes
}
