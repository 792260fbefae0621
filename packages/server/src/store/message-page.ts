import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { needsContent } from '../domain/match.ts'
import type { Database } from './database.ts'
import { COMPARISONS, queryFor, type Wanted } from './message-query.ts'
import type { Sql } from './sql.ts'
import type { ListAnchor, View } from './store.ts'

/** How long one query should take; then it is the turn of others. */
const STEP_MS = 8
/** Messages that the first query looks at: some may have a body of 1 MB, which takes 3 ms to search. */
const FIRST_STEP = 128
const FIRST_STEP_WITH_BODIES = 16
const STEP_MAX = 1_024
/** A search that took less than this since the last turn of others goes on. */
const TURN_MS = 1

export type Search<Row> = {
  view: View
  wanted: Wanted
  /** Runs a query that is given from its `where` on. */
  select: (rest: Sql) => Promise<Row[]>
}

export type Page<Row> = {
  rows: () => Row[]
  /** True when nothing that is left to look at can belong to the page; `newest` bounds the time of what is left. */
  isFull(newest: number): boolean
  /** Looks at these until `isDone`, in steps. */
  lookAt(positions: number[], isDone: () => boolean): Promise<void>
}

/** Gathers the first rows in the wanted order from wherever they are found. */
export function createPage<Row extends ListAnchor>(
  { dialect, inStep }: Database,
  { view, wanted, select }: Search<Row>,
): Page<Row> {
  const { order, limit } = wanted
  const compare = COMPARISONS[order]
  let rows: Row[] = []
  let spentMs = 0
  let step = needsContent(view.filter) ? FIRST_STEP_WITH_BODIES : FIRST_STEP

  async function look(positions: number[]): Promise<void> {
    view.proceed?.()
    const startedAt = performance.now()
    const found = await select(queryFor(dialect, view, wanted, { among: positions }))
    const tookMs = performance.now() - startedAt
    step = nextStep(positions.length, tookMs)
    if (found.length > 0) rows = [...rows, ...found].sort(compare).slice(0, limit)
    spentMs += tookMs
    if (spentMs < TURN_MS) return
    await yieldToEventLoop()
    spentMs = 0
  }

  return {
    rows: () => rows,
    // By position, what is left comes later in any case; by time, an equal one might come first.
    isFull: (newest) => rows.length === limit && (order !== 'newest first' || rows.at(-1)!.receivedAt > newest),
    async lookAt(positions, isDone) {
      for (let start = 0; start < positions.length && !isDone();) {
        const some = positions.slice(start, start + step)
        start += some.length
        await inStep(view.teamId, () => look(some))
      }
    },
  }
}

/** As many as should take the time of a step, by how long these took; never many times more at once. */
function nextStep(count: number, tookMs: number): number {
  const fitting = Math.floor((count * STEP_MS) / Math.max(tookMs, 0.1))
  return Math.max(1, Math.min(fitting, 2 * count, STEP_MAX))
}
