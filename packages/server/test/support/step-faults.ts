import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * How a step fails: before its effect, after it, or with half of it. Or it succeeds late: the effect and the reply, or only
 * the reply. `kind` is the kind of error.
 */
export type Fault = { when: 'before' | 'after' | 'half' | 'late' | 'late reply'; kind: string; lateMs?: number }

/** Called before each step of a bucket or database: a file-system call, a statement, a request. */
export type FaultSource = (step: string) => Fault | null

/**
 * The fault happens at the step with this number, from 0: once, at each step of that name, at all later ones, or again
 * that many steps later.
 */
export type FaultPlan = { at: number; fault: Fault; lasts: 'once' | 'step' | 'all' | number }

/** Fails as planned, and counts the steps. */
export function plannedFaults({ at, fault, lasts }: FaultPlan) {
  let count = 0
  let failing: string | null = null
  const faultOf: FaultSource = (step) => {
    const number = count++
    if (number === at) failing = step
    if (failing === null || number < at) return null
    const isAgain = lasts === 'all' || (lasts === 'step' && step === failing) || number - at === lasts
    return number === at || isAgain ? fault : null
  }
  return { faultOf, steps: () => count }
}

/**
 * The fault happens at a call of this name, after `skip` others: once, at each later call of the name, or at every later
 * call. `cause` is a call that fails first, because the program only makes the planned one after that.
 */
export type CallPlan = { call: string; skip: number; fault: Fault; lasts: 'once' | 'call' | 'all'; cause?: string }

/** How many calls were made, by their name. */
export type CallCounts = Record<string, number>

/** Fails as planned, and counts the calls and those of them that failed. */
export function callFaults({ call, skip, fault, lasts, cause }: CallPlan) {
  const calls: CallCounts = {}
  let hits = 0
  const faultOf: FaultSource = (name) => {
    const earlier = calls[name] ?? 0
    calls[name] = earlier + 1
    if (name === cause) return { ...fault, when: 'before' }
    const isFirst = hits === 0 && name === call && earlier === skip
    if (!isFirst && (hits === 0 || lasts === 'once' || (lasts === 'call' && name !== call))) return null
    hits++
    return fault
  }
  return { faultOf, hits: () => hits, calls: (): CallCounts => ({ ...calls }) }
}

/** Connects the steps with the plan that decides about faults. */
export function faultSwitch() {
  let current: ReturnType<typeof plannedFaults> | null = null
  return {
    faultOf: (step: string) => current?.faultOf(step) ?? null,
    async arm(plan: FaultPlan) {
      current = plannedFaults(plan)
    },
    /** The number of steps since then. */
    async disarm(): Promise<number> {
      const steps = current?.steps() ?? 0
      current = null
      return steps
    },
  }
}

type Step<Result> = {
  fault: Fault | null
  take: () => Promise<Result>
  half?: () => Promise<unknown>
  /** What a step destroys if it fails before its effect. */
  lose?: () => Promise<unknown>
  fail: (kind: string) => Error
  /** The result of a step that the caller never gets. */
  drop?: (result: Result) => Promise<unknown>
}

/** Long enough for other work to run in between. */
export const LATE_MS = 20

/** Runs one step with its fault. */
export async function takeStep<Result>({ fault, take, half, lose, fail, drop }: Step<Result>): Promise<Result> {
  if (fault === null) return take()
  if (fault.when === 'late') {
    await lateBy(fault)
    return take()
  }
  if (fault.when === 'late reply') {
    const result = await take()
    await lateBy(fault)
    return result
  }
  if (fault.when === 'before') await lose?.()
  if (fault.when === 'half') await half?.()
  if (fault.when === 'after') {
    const result = await take()
    await drop?.(result)
  }
  throw fail(fault.kind)
}

export function lateBy({ lateMs = LATE_MS }: Fault): Promise<void> {
  return pause(lateMs)
}

/** Whether the step succeeds, only later than usual. */
export function isLate({ when }: Fault): boolean {
  return when === 'late' || when === 'late reply'
}

/** Chunks that come late or break off: at once, after half of one, or after all of them. */
export async function* failingChunks(
  chunks: AsyncIterable<Uint8Array>,
  fault: Fault,
  fail: (kind: string) => Error,
): AsyncGenerator<Uint8Array> {
  if (isLate(fault)) await lateBy(fault)
  for await (const chunk of chunks) {
    if (fault.when === 'before') throw fail(fault.kind)
    yield fault.when === 'half' ? chunk.subarray(0, chunk.byteLength / 2) : chunk
    if (fault.when === 'half') throw fail(fault.kind)
  }
  if (!isLate(fault)) throw fail(fault.kind)
}

export function failingStream(...given: Parameters<typeof failingChunks>): ReadableStream<Uint8Array<ArrayBuffer>> {
  // Node and the DOM types declare the same class separately.
  return Readable.toWeb(Readable.from(failingChunks(...given))) as ReadableStream<Uint8Array<ArrayBuffer>>
}
