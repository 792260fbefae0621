import type { QueryResult } from 'pg'
import { sqlOf, type Write } from './database.ts'
import { retrying, type Connections, type Borrowed } from './postgres-connections.ts'
import { toDatabaseError, isRetryable } from './postgres-errors.ts'
import { COMMIT, ROLLBACK, send } from './postgres-session.ts'
import { isSql, sql, type Sql, type SqlValue } from './sql.ts'
import { createTeamQueues } from './team-queues.ts'

/** A larger group would delay its transactions, and other processes that wait for the team, too much. */
const TRANSACTIONS_PER_COMMIT = 64
/** The same for a few large ones: characters of a group's values. */
const CHARACTERS_PER_COMMIT = 4_194_304

type Result = unknown[] | number
type Waiting = { statements: Write[]; resolve: (results: Result[]) => void; reject: (error: unknown) => void }

export type PostgresWriter = {
  write(statements: Write[]): Promise<Result[]>
  writeFor(teamId: string, statements: Write[]): Promise<Result[]>
  /** Resolves when all pending transactions are written. */
  close(): Promise<void>
}

/**
 * Every transaction for a team locks the team's row until its commit, so that the transactions of all processes run one
 * after another: positions become visible in order, and counts and lookups stay valid. Within this process they share
 * commits: while one group of a team is being committed, the next one is collected. A group contains one team only and
 * locks it first, so that groups cannot deadlock. PostgreSQL detects other collisions of two transactions (a mailbox
 * name, a message id), and one of them is retried.
 *
 * A transaction that loses its connection is not retried here, because it may have been committed. The caller retries it
 * as after any other failure, and all writes are safe to repeat: messages and deletions have ids, names and limits are
 * checked again, and an index block is written for the state it was built from.
 */
export function createPostgresWriter(connections: Connections): PostgresWriter {
  const running = new Set<Promise<unknown>>()

  function track<Result>(work: Promise<Result>): Promise<Result> {
    running.add(work)
    void work.catch(() => {}).finally(() => running.delete(work))
    return work
  }

  const queues = createTeamQueues<Waiting>(async (teamId, waiting) => {
    let group: Waiting[] = []
    try {
      await connections.use(async (borrowed) => {
        group = takeGroup(waiting)
        await commitGroup(borrowed, sql`select lock_team(${teamId})`, group)
      })
    } catch (error) {
      for (const { reject } of group.length > 0 ? group : waiting.splice(0)) reject(error)
    }
  })

  return {
    write: (statements) => track(connections.use((borrowed) => retrying(() => run(borrowed, statements), isRetryable))),

    writeFor: (teamId, statements) =>
      new Promise((resolve, reject) => queues.add(teamId, { statements, resolve, reject })),

    async close() {
      await queues.close()
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

/** As many as fit into one commit. A transaction with a condition gets its own commit. */
function takeGroup(waiting: Waiting[]): Waiting[] {
  let characters = 0
  let count = 0
  for (const { statements } of waiting) {
    if (count > 0 && (hasCondition(statements) || hasCondition(waiting[0]!.statements))) break
    characters += statements.reduce((sum, statement) => sum + charactersOf(sqlOf(statement)), 0)
    if (count > 0 && (count === TRANSACTIONS_PER_COMMIT || characters > CHARACTERS_PER_COMMIT)) break
    count++
  }
  return waiting.splice(0, count)
}

/** Of its values. */
function charactersOf({ parts }: Sql): number {
  return parts.reduce<number>((sum, part) => sum + (isSql(part) ? charactersOf(part) : lengthOf(part)), 0)
}

function lengthOf(value: SqlValue): number {
  return value === null || typeof value === 'number' ? 8 : value.length
}

function hasCondition(statements: Write[]): boolean {
  return statements.some((statement, index) => 'required' in statement && index < statements.length - 1)
}

/** A transaction that fails is left out, and the others run again without it. */
async function commitGroup(borrowed: Borrowed, lock: Sql, group: Waiting[]): Promise<void> {
  if (hasCondition(group[0]!.statements)) {
    const [{ statements, resolve }] = group as [Waiting]
    const [, ...results] = await retrying(() => run(borrowed, [lock, ...statements]), isRetryable)
    return resolve(results)
  }
  let left = group
  while (left.length > 0) {
    const all = left.flatMap(({ statements }) => statements)
    const outcome = await retrying(() => tryTogether(borrowed, [lock, ...all]), isRetryable)
    if ('results' in outcome) {
      let start = 1
      for (const { statements, resolve } of left) resolve(outcome.results.slice(start, (start += statements.length)))
      return
    }
    let end = 1
    const failed = left.find(({ statements }) => (end += statements.length) > outcome.failed)
    // The lock or the commit failed, which affects all of them.
    if (outcome.failed === 0 || !failed) throw outcome.error
    failed.reject(toDatabaseError(outcome.error))
    left = left.filter((transaction) => transaction !== failed)
  }
}

/** Sends everything together. If a statement fails, returns which one, and nothing is committed. */
async function tryTogether(
  { client, begin, toQuery }: Borrowed,
  statements: Write[],
): Promise<{ results: Result[] } | { failed: number; error: unknown }> {
  const queries = statements.map((statement) => toQuery(sqlOf(statement)))
  const [begun, ...results] = await send(client, [begin, ...queries, COMMIT])
  const failed = results.findIndex(({ status }) => status === 'rejected')
  const failure = begun!.status === 'rejected' ? begun : results[failed]
  if (failure?.status !== 'rejected') return { results: results.slice(0, -1).map(resultOf) }
  // After a failure, `commit` rolls back.
  const isRolledBack = results.at(-1)!.status === 'fulfilled'
  if (isRolledBack && !isRetryable(failure.reason)) return { failed, error: failure.reason }
  throw failure.reason
}

/** One transaction in as few round trips as its conditions allow. */
async function run({ client, begin, toQuery }: Borrowed, statements: Write[]): Promise<Result[]> {
  const results: Result[] = []
  let isBegun = false
  while (results.length < statements.length) {
    const next = statements.findIndex((statement, index) => index >= results.length && 'required' in statement)
    const end = next === -1 ? statements.length : next + 1
    const isLast = end === statements.length
    const queries = statements.slice(results.length, end).map((statement) => toQuery(sqlOf(statement)))
    const sent = await send(client, [...(isBegun ? [] : [begin]), ...queries, ...(isLast ? [COMMIT] : [])])
    const failure = sent.find(({ status }) => status === 'rejected')
    if (failure?.status === 'rejected') {
      // If it fails too, that must not hide the cause.
      if (!isLast) await send(client, [ROLLBACK])
      throw failure.reason
    }
    results.push(...sent.slice(isBegun ? 0 : 1, isLast ? -1 : undefined).map(resultOf))
    isBegun = true
    if (isLast) return results
    const last = results.at(-1)!
    if (last === 0 || (Array.isArray(last) && last.length === 0)) break
  }
  await client.query(COMMIT)
  return results
}

function resultOf(result: PromiseSettledResult<QueryResult>): Result {
  if (result.status === 'rejected') throw result.reason
  return result.value.fields.length > 0 ? result.value.rows : (result.value.rowCount ?? 0)
}
