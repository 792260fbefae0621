import { reportSetAside, type ReportPorts } from './report-set-aside.ts'
import type { Metadata } from './metadata.ts'

/** Delay after the API did not accept a report. */
const RETRY_MS = 5_000

/** Set-aside mail that the API does not know about yet, by metadata key. */
export function createSetAsideReports({ now, ...ports }: ReportPorts & { now: () => number }) {
  const unreported = new Map<string, Metadata>()
  let running: Promise<void> | null = null
  let nextAt = 0

  /** Stops at the first failure and moves that mail to the end. */
  async function reportAll(): Promise<void> {
    for (const [key, metadata] of unreported) {
      unreported.delete(key)
      if (await reportSetAside(ports, metadata)) continue
      unreported.set(key, metadata)
      nextAt = now() + RETRY_MS
      return
    }
  }

  return {
    add: (key: string, metadata: Metadata) => unreported.set(key, metadata),
    remove: (key: string) => unreported.delete(key),
    /** Reports what there is, unless it is too early or being done. */
    reportDue(): void {
      if (unreported.size > 0 && now() >= nextAt) running ??= reportAll().finally(() => (running = null))
    },
    /** Resolves when no report is under way. */
    async finished(): Promise<void> {
      await running
    },
  }
}
