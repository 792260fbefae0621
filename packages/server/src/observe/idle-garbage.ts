import { eventLoopUtilization } from 'node:perf_hooks'
import { processMeasures, type Memory } from './overload-measures.ts'

const LOOK_EVERY_MS = 2_000
/** Of the time since the last look. Without requests, a server is busy for less than a hundredth. */
const BUSY_SHARE_MAX = 0.02
/** The start alone leaves about 15 MB in the heap, and V8 reserves as much again. */
const GARBAGE_BYTES_MIN = 8 * 1024 * 1024
/** A collection that takes longer is worth it only for more garbage. */
const USUAL_MS = 25

type IdleMeasures = {
  /** The share of the time since the last call in which the event loop did something. */
  busyShare(): number
  memory(): Pick<Memory, 'heapBytes' | 'bufferBytes'>
  collectGarbage(): void
}

/** V8 collects garbage only when it needs room, so an idle program would keep it. */
export function collectWhenIdle({ busyShare, memory, collectGarbage }: IdleMeasures = ofProcess()): void {
  let keptBytes = 0
  let garbageBytesMin = GARBAGE_BYTES_MIN
  let wasIdle = false

  function usedBytes(): number {
    const { heapBytes, bufferBytes } = memory()
    return heapBytes + bufferBytes
  }

  function look(): void {
    const isIdle = busyShare() <= BUSY_SHARE_MAX
    keptBytes = Math.min(keptBytes, usedBytes())
    if (isIdle && wasIdle && usedBytes() - keptBytes >= garbageBytesMin) collect()
    wasIdle = isIdle
  }

  function collect(): void {
    const startedAt = performance.now()
    collectGarbage()
    garbageBytesMin = GARBAGE_BYTES_MIN * Math.max(1, (performance.now() - startedAt) / USUAL_MS)
    keptBytes = usedBytes()
  }

  setInterval(look, LOOK_EVERY_MS).unref()
}

function ofProcess(): IdleMeasures {
  let lastLook = eventLoopUtilization()
  return {
    ...processMeasures,
    busyShare() {
      const before = lastLook
      lastLook = eventLoopUtilization()
      return eventLoopUtilization(lastLook, before).utilization
    },
  }
}
