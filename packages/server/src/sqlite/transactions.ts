import type { DatabaseSync, StatementSync } from 'node:sqlite'

export type Value = string | number | null | Uint8Array

/** One statement of a transaction. If a required statement changes and returns no row, the following ones are skipped. */
export type Statement = { text: string; values: Value[]; isRequired: boolean }

export type Row = Record<string, Value>

/** The rows of a statement with `returning`, otherwise the number of changed rows. */
export type Result = Row[] | number

/** The outcome of one transaction: the result of each executed statement, or the error that rolled it back. */
export type Outcome = { results: Result[] } | { error: unknown }

const CACHED_STATEMENTS = 200

/** `commitMs` is null if nothing was committed. */
export type GroupOutcome = { outcomes: Outcome[]; commitMs: number | null }

/**
 * Runs transactions in groups: one commit, and so one sync, per group. A transaction that fails is left out, and the
 * others run again without it.
 */
export function transactionsOf(connection: DatabaseSync): (group: Statement[][]) => GroupOutcome {
  const begin = connection.prepare('begin immediate')
  const commit = connection.prepare('commit')
  const rollback = connection.prepare('rollback')
  const prepared = new Map<string, (values: Value[]) => Result>()

  function prepare(text: string): (values: Value[]) => Result {
    const known = prepared.get(text)
    if (known) return known
    if (prepared.size >= CACHED_STATEMENTS) prepared.clear()
    const run = runnerOf(connection.prepare(text))
    prepared.set(text, run)
    return run
  }

  function runAll(statements: Statement[]): Result[] {
    const results: Result[] = []
    for (const { text, values, isRequired } of statements) {
      const result = prepare(text)(values)
      results.push(result)
      if (isRequired && (result === 0 || (Array.isArray(result) && result.length === 0))) break
    }
    return results
  }

  /** The results of all, or the index of the one that failed (null if begin or commit failed). */
  function tryTogether(group: Statement[][]): Committed | { failed: number | null; error: unknown } {
    const results: Result[][] = []
    let hasBegun = false
    try {
      begin.run()
      hasBegun = true
      for (const statements of group) results.push(runAll(statements))
      const startedAt = performance.now()
      commit.run()
      return { results, commitMs: performance.now() - startedAt }
    } catch (error) {
      // Some errors, such as a full disk, have already rolled back the transaction.
      if (connection.isTransaction) rollback.run()
      return { failed: hasBegun && results.length < group.length ? results.length : null, error }
    }
  }

  return (group) => {
    const outcomes = new Map<Statement[], Outcome>()
    let left = group
    let commitMs: number | null = null
    while (left.length > 0) {
      const result = tryTogether(left)
      if ('results' in result) {
        left.forEach((statements, index) => outcomes.set(statements, { results: result.results[index]! }))
        commitMs = result.commitMs
        break
      }
      const failed = result.failed === null ? left : [left[result.failed]!]
      for (const statements of failed) outcomes.set(statements, { error: result.error })
      left = left.filter((statements) => !failed.includes(statements))
    }
    return { outcomes: group.map((statements) => outcomes.get(statements)!), commitMs }
  }
}

type Committed = { results: Result[][]; commitMs: number }

function runnerOf(statement: StatementSync): (values: Value[]) => Result {
  // Values have the types that were stored; integers are below 2^53.
  if (statement.columns().length > 0) return (values) => statement.all(...values) as Row[]
  return (values) => Number(statement.run(...values).changes)
}
