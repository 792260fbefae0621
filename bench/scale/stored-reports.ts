import { readFileSync, writeFileSync } from 'node:fs'
import type { Run as ReplicasRun } from '../replicas/report.ts'
import type { Label } from '../results.ts'
import type { CitusReport } from './citus-report.ts'
import type { Report } from './report.ts'

/** What the last whole run of each benchmark measured. */
export type Reports = {
  benchmark: { series: (Label & { median: number })[]; plan: { waiters: number }; notes: string[] }
  replicas: ReplicasRun
  scale: Report
  citus: CitusReport
}

const FILES: Record<keyof Reports, URL> = {
  benchmark: new URL('../report.json', import.meta.url),
  replicas: new URL('../replicas/report.json', import.meta.url),
  scale: new URL('report.json', import.meta.url),
  citus: new URL('citus.json', import.meta.url),
}

export function readReports(): Reports {
  const read = (file: URL): unknown => JSON.parse(readFileSync(file, 'utf8'))
  // Each file is written by the run of its name.
  return Object.fromEntries(Object.entries(FILES).map(([name, file]) => [name, read(file)])) as Reports
}

export function writeReport<Name extends Exclude<keyof Reports, 'benchmark'>>(name: Name, report: Reports[Name]): void {
  writeFileSync(FILES[name], `${JSON.stringify(report, null, 2)}\n`)
}
