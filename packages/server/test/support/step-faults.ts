/** How a step fails: before its effect, after it, with half of it, or only late. `kind` is the kind of error. */
export type Fault = { when: 'before' | 'after' | 'half' | 'late'; kind: string }

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
  fail: (kind: string) => Error
  /** The result of a step that the caller never gets. */
  drop?: (result: Result) => Promise<unknown>
}

/** Long enough for other work to run in between. */
const LATE_MS = 20

/** Runs one step with its fault. */
export async function takeStep<Result>({ fault, take, half, fail, drop }: Step<Result>): Promise<Result> {
  if (fault === null) return take()
  if (fault.when === 'late') {
    await new Promise((resolve) => setTimeout(resolve, LATE_MS))
    return take()
  }
  if (fault.when === 'half') await half?.()
  if (fault.when === 'after') await drop?.(await take())
  throw fail(fault.kind)
}
