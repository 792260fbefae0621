import type { Log } from './log.ts'
import { processMeasures, type Measures, type Memory } from './overload-measures.ts'

/** Notices the end of an overload soon. Ten seconds of checks take 10 ms of processor time. */
const CHECK_EVERY_MS = 500
/** A delay that users and tests notice. */
const LATE_MS = 200
/** Longer than a single stall, such as a large query. */
const LATE_FOR_MS = 5_000
/** The rest is reserved for work in progress. */
const FULL_SHARE = 0.8
/** Below FULL_SHARE, so that the state does not flip with every mail. */
const FREE_SHARE = 0.75
/** Below this share in the JavaScript heap and buffers, the rest is code, threads and memory the allocator can reuse. */
const HELD_SHARE_MIN = 0.5
/** Collecting a large heap blocks the process for up to a second. */
const COLLECT_EVERY_MS = 10_000

/** Reported by readiness checks. */
export const OVERLOADED = 'the server is overloaded'

export type Overload = {
  /** While true, new work is refused and work in progress continues. */
  isOverloaded(): boolean
  /** Whether it is the memory that is short, so that nothing more can be kept. */
  isMemoryShort(): boolean
  close(): void
}

/** Checks this process twice a second, without keeping it alive. */
export function watchOverload(log: Pick<Log, 'warn' | 'info'>, measures: Measures = processMeasures): Overload {
  const isLoopLate = createLoopRule()
  const findShortMemory = createMemoryRule(measures.collectGarbage)
  let isOverloaded = false
  let isMemoryShort = false
  let isClosed = false
  let timer = scheduleCheck()

  function scheduleCheck(): NodeJS.Timeout {
    return setTimeout(() => void check(), CHECK_EVERY_MS).unref()
  }

  async function check(): Promise<void> {
    const lateMs = await measures.lateMs()
    if (isClosed) return
    const at = measures.now()
    const memory = measures.memory()
    isMemoryShort = findShortMemory(at, memory)
    const causes = { isLoopLate: isLoopLate(at, lateMs), isMemoryShort }
    update(causes.isLoopLate || isMemoryShort, { ...causes, lateMs: Math.round(lateMs), ...memory })
    timer = scheduleCheck()
  }

  function update(isNow: boolean, facts: object): void {
    if (isNow && !isOverloaded) log.warn(facts, 'overloaded, refusing new mail and other new work')
    if (!isNow && isOverloaded) log.info(facts, 'no longer overloaded, accepting new work')
    isOverloaded = isNow
  }

  return {
    isOverloaded: () => isOverloaded,
    isMemoryShort: () => isMemoryShort,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** True after five seconds in which every check was late; false after the first check that is not. */
function createLoopRule() {
  let lateSince: number | null = null
  return (at: number, lateMs: number): boolean => {
    lateSince = lateMs > LATE_MS ? (lateSince ?? at) : null
    return lateSince !== null && at - lateSince >= LATE_FOR_MS
  }
}

/**
 * Garbage counts as used memory until it is collected, and an idle server produces too little of it for V8 to collect
 * by itself. So the rule collects garbage before it refuses work, and repeatedly while memory is short, and decides at
 * the next check.
 */
function createMemoryRule(collectGarbage: () => void) {
  let isShort = false
  let collectedAt = -Infinity
  let isCollected = false
  return (at: number, memory: Memory): boolean => {
    if (!isFull(memory, isShort ? FREE_SHARE : FULL_SHARE)) {
      isShort = false
      isCollected = false
    } else if (isCollected) {
      isShort = true
      isCollected = false
    } else if (at - collectedAt >= COLLECT_EVERY_MS) {
      collectGarbage()
      collectedAt = at
      isCollected = true
    }
    return isShort
  }
}

/** V8 ends the process at its own heap limit, which is usually far below the machine's memory. */
function isFull({ residentBytes, limitBytes, heapBytes, heapBytesMax, bufferBytes }: Memory, share: number): boolean {
  if (heapBytes > share * heapBytesMax) return true
  return residentBytes > share * limitBytes && heapBytes + bufferBytes > HELD_SHARE_MIN * limitBytes
}
