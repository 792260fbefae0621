import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Database } from './database.ts'
import { COMPARISONS, queryFor, readsContent, type Wanted } from './message-query.ts'
import type { Sql } from './sql.ts'
import type { ListAnchor, View } from './messages.ts'

/** How many messages one query checks. */
type Pace = {
  /** Target duration of a query; then other work gets a turn. */
  stepMs: number
  first: number
  firstWithBodies: number
  max: number
}
/** Some messages may have a body of 1 MB, which takes 3 ms to search. */
const IN_THIS_THREAD: Pace = { stepMs: 8, first: 128, firstWithBodies: 16, max: 1_024 }
/** A query blocks nothing here but costs a round trip. With 1 MB bodies, the largest takes half of the statement limit. */
const ON_A_SERVER: Pace = { stepMs: 50, first: 512, firstWithBodies: 128, max: 512 }
/** A search continues without yielding if it took less than this since the last yield. */
const YIELD_AFTER_MS = 1

export type PageSearch<Row> = {
  view: View
  wanted: Wanted
  /** Runs a query that is given from its `where` on. */
  select: (rest: Sql) => Promise<Row[]>
}

export type ResultPage<Row> = {
  rows: () => Row[]
  /** True if nothing that remains can belong to the page. `newest` bounds the time of what remains. */
  isFull(newest: number): boolean
  /** Checks these messages in steps until `isDone`. */
  check(positions: number[], isDone: () => boolean): Promise<void>
}

/** Collects the first rows in the wanted order from any source. */
export function createPage<Row extends ListAnchor>(
  { dialect, runStep, blocksMainThread }: Database,
  { view, wanted, select }: PageSearch<Row>,
): ResultPage<Row> {
  const { order, limit } = wanted
  const compare = COMPARISONS[order]
  let rows: Row[] = []
  let spentMs = 0
  const pace = blocksMainThread ? IN_THIS_THREAD : ON_A_SERVER
  let step = readsContent(view) ? pace.firstWithBodies : pace.first

  async function checkStep(positions: number[]): Promise<void> {
    view.proceed?.()
    const startedAt = performance.now()
    const found = await select(queryFor(dialect, view, wanted, { among: positions }))
    const tookMs = performance.now() - startedAt
    step = nextStep(pace, positions.length, tookMs)
    if (found.length > 0) rows = [...rows, ...found].sort(compare).slice(0, limit)
    spentMs += tookMs
    if (spentMs < YIELD_AFTER_MS) return
    await yieldToEventLoop()
    spentMs = 0
  }

  return {
    rows: () => rows,
    // By position, everything that remains comes later anyway. By time, an equal one might come first.
    isFull: (newest) => rows.length === limit && (order !== 'newest first' || rows.at(-1)!.receivedAt > newest),
    async check(positions, isDone) {
      for (let start = 0; start < positions.length && !isDone();) {
        const some = positions.slice(start, start + step)
        start += some.length
        await runStep(view.teamId, () => checkStep(some))
      }
    },
  }
}

/** As many as should take one step's time, judging by the last step, and at most twice as many as before. */
function nextStep({ stepMs, max }: Pace, count: number, tookMs: number): number {
  const fitting = Math.floor((count * stepMs) / Math.max(tookMs, 0.1))
  return Math.max(1, Math.min(fitting, 2 * count, max))
}
