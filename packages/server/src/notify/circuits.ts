import { isOverloaded, isSuccess } from '../domain/delivery-schedule.ts'

/** Fewer could be chance, more would only wait longer for the same. */
export const FAILURES_TO_OPEN = 5
/** Endpoints remembered as failing; of more, those that failed first are tried as if they were well. */
const REMEMBERED_MAX = 10_000

export type Circuits = {
  record(endpointId: string, httpStatus: number | null): void
  /** Those that get one attempt at a time until one succeeds. */
  open(): string[]
  isOpen(endpointId: string): boolean
}

/** Knows which endpoints fail, so that they take no more of the sender's time than it takes to see whether they are back. */
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
      // Whoever says that it is too much is believed at once.
      const count = isOverloaded(httpStatus) ? FAILURES_TO_OPEN : (failures.get(endpointId) ?? 0) + 1
      failures.set(endpointId, count)
      const [oldest] = failures.keys()
      if (failures.size > REMEMBERED_MAX && oldest !== undefined) failures.delete(oldest)
    },
    open: () => [...failures.keys()].filter(isOpen),
    isOpen,
  }
}
