import type { Options } from './options.ts'
import type { Results } from './results.ts'
import type { TaskProcess } from './tasks/task-process.ts'

/** What every measure gets: the plan, a folder on the disk that is measured, the load generator and a place for results. */
export type Bench = Options & { folder: string; generator: TaskProcess; results: Results }

/** Between two samples, for what the last one left to do. */
export const SETTLE_MS = 300
