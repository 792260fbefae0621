import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Growth } from './growth/report.ts'
import type { Comparison } from './peers/report.ts'
import type { Run as ReplicasRun } from './replicas/report.ts'
import type { Label } from './results.ts'
import type { CitusReport } from './scale/citus-report.ts'
import type { Report as ScaleReport } from './scale/report.ts'

/** What the last whole run of each benchmark measured. */
export type Reports = {
  benchmark: { series: (Label & { median: number })[]; plan: { waiters: number }; notes: string[] }
  comparison: Comparison
  growth: Growth
  replicas: ReplicasRun
  scale: ScaleReport
  citus: CitusReport
}

const FILES: Record<keyof Reports, URL> = {
  benchmark: new URL('report.json', import.meta.url),
  comparison: new URL('peers/report.json', import.meta.url),
  growth: new URL('growth/report.json', import.meta.url),
  replicas: new URL('replicas/report.json', import.meta.url),
  scale: new URL('scale/report.json', import.meta.url),
  citus: new URL('scale/citus.json', import.meta.url),
}

/** Whether each of these benchmarks had a whole run. */
export function haveReports(...names: (keyof Reports)[]): boolean {
  return names.every((name) => existsSync(FILES[name]))
}

export function readReports<Name extends keyof Reports>(...names: Name[]): Pick<Reports, Name> {
  const read = (file: URL): unknown => JSON.parse(readFileSync(file, 'utf8'))
  // Each file is written by the run of its name.
  return Object.fromEntries(names.map((name) => [name, read(FILES[name])])) as Pick<Reports, Name>
}

export function writeReport<Name extends Exclude<keyof Reports, 'benchmark'>>(name: Name, report: Reports[Name]): void {
  writeFileSync(FILES[name], `${JSON.stringify(report, null, 2)}\n`)
}
