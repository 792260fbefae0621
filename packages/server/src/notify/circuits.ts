import { isOverloaded, isSuccess } from '../domain/delivery-schedule.ts'

/** Fewer could be chance; more would only delay the decision. */
export const FAILURES_TO_OPEN = 5
/** Failing endpoints remembered. Beyond this, the oldest are treated as healthy. */
const REMEMBERED_MAX = 10_000

export type Circuits = {
  record(endpointId: string, httpStatus: number | null): void
  /** Endpoints that get one attempt at a time until one succeeds. */
  open(): string[]
  isOpen(endpointId: string): boolean
}

/** Tracks failing endpoints, so that the sender spends only occasional probes on them. */
export function createCircuits(): Circuits {
  const failures = new Map<string, number>()

  function isOpen(endpointId: string): boolean {
    return (failures.get(endpointId) ?? 0) >= FAILURES_TO_OPEN
  }

  return {
    record(endpointId, httpStatus) {
      if (isSuccess(httpStatus)) {
        failures.delete(endpointId)
        return
      }
      // An overloaded receiver opens its circuit at once.
      const count = isOverloaded(httpStatus) ? FAILURES_TO_OPEN : (failures.get(endpointId) ?? 0) + 1
      failures.set(endpointId, count)
      const [oldest] = failures.keys()
      if (failures.size > REMEMBERED_MAX && oldest !== undefined) failures.delete(oldest)
    },
    open: () => [...failures.keys()].filter(isOpen),
    isOpen,
  }
}
