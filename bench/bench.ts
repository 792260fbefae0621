import type { Options } from './options.ts'
import type { Results } from './results.ts'
import type { TaskProcess } from './tasks/task-process.ts'

/** The input of every measure: the plan, a folder on the measured disk, the load generator and the results. */
export type Bench = Options & { folder: string; generator: TaskProcess; results: Results }

/** Pause between samples, to let background work finish. */
export const SETTLE_MS = 300
