import type { Log } from './log.ts'
import { processMeasures, type Measures, type Memory } from './overload-measures.ts'

/** Often enough to notice the end soon; ten seconds of it cost 10 ms of the processor. */
const LOOK_EVERY_MS = 500
/** People and tests notice it. */
const LATE_MS = 200
/** One long stall, such as a large query, is over by then. */
const LATE_FOR_MS = 5_000
/** The rest is for what has been taken already. */
const FULL_SHARE = 0.8
/** Less than that at which it begins, or it would begin and end with every mail. */
const FREE_SHARE = 0.75
/** With less than that in JavaScript's hands, the rest is code, threads and what the allocator keeps for new work. */
const HELD_SHARE_MIN = 0.5
/** Collecting stops everything for up to a second where the heap is large. */
const COLLECT_EVERY_MS = 10_000

/** As a trouble that keeps a program from being ready. */
export const TOO_MUCH_TO_DO = 'there is too much to do'

export type Overload = {
  /** While it is true, new work is refused; what was begun goes on. */
  isOverloaded(): boolean
  close(): void
}

/** Looks at this process twice a second, without keeping it alive. */
export function watchOverload(log: Pick<Log, 'warn' | 'info'>, measures: Measures = processMeasures): Overload {
  const isLoopLate = createLoopRule()
  const isMemoryShort = createMemoryRule(measures.collectGarbage)
  let isOverloaded = false
  let isClosed = false
  let timer = lookLater()

  function lookLater(): NodeJS.Timeout {
    return setTimeout(() => void look(), LOOK_EVERY_MS).unref()
  }

  async function look(): Promise<void> {
    const lateMs = await measures.lateMs()
    if (isClosed) return
    const at = measures.now()
    const memory = measures.memory()
    const causes = { isLoopLate: isLoopLate(at, lateMs), isMemoryShort: isMemoryShort(at, memory) }
    become(causes.isLoopLate || causes.isMemoryShort, { ...causes, lateMs: Math.round(lateMs), ...memory })
    timer = lookLater()
  }

  function become(isNow: boolean, facts: object): void {
    if (isNow && !isOverloaded) log.warn(facts, 'too much to do: new mail and other new work is refused for now')
    if (!isNow && isOverloaded) log.info(facts, 'new mail and other new work is taken again')
    isOverloaded = isNow
  }

  return {
    isOverloaded: () => isOverloaded,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** Late in every look for five seconds; over with the first one that is not. */
function createLoopRule() {
  let lateSince: number | null = null
  return (at: number, lateMs: number): boolean => {
    lateSince = lateMs > LATE_MS ? (lateSince ?? at) : null
    return lateSince !== null && at - lateSince >= LATE_FOR_MS
  }
}

/**
 * Garbage counts as memory until it is collected, and a server that takes no work makes too little of it for V8 to
 * collect by itself: so it is collected before anything is refused, again while that lasts, and judged at the next look.
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

/** V8 ends the process at a limit of its own, which is mostly far below that of the machine. */
function isFull({ residentBytes, limitBytes, heapBytes, heapBytesMax, bufferBytes }: Memory, share: number): boolean {
  if (heapBytes > share * heapBytesMax) return true
  return residentBytes > share * limitBytes && heapBytes + bufferBytes > HELD_SHARE_MIN * limitBytes
}
