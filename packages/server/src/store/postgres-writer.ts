import type { QueryResult } from 'pg'
import type { Required } from './database.ts'
import { retrying, type Connections, type Lent } from './postgres-connections.ts'
import { explained, isWorthAnotherTry } from './postgres-errors.ts'
import { COMMIT, send } from './postgres-session.ts'
import type { Sql } from './sql.ts'

/** A larger group would keep those who wait for it, and other processes that wait for its team, waiting too long. */
const TRANSACTIONS_PER_COMMIT = 64
/** The same for few large ones: characters of a group's values. */
const CHARACTERS_PER_COMMIT = 4_194_304

type Statement = Sql | Required
type Result = unknown[] | number
type Waiting = { statements: Statement[]; resolve: (results: Result[]) => void; reject: (error: unknown) => void }

export type PostgresWriter = {
  write(statements: Statement[]): Promise<Result[]>
  writeFor(teamId: string, statements: Statement[]): Promise<Result[]>
  /** Resolves when all that was asked is written. */
  close(): Promise<void>
}

/**
 * Every transaction for a team holds the team's row from its beginning to its commit, so that those of all processes
 * come one after another: positions become visible in their order, and what was counted or found stays so. Within this
 * process they share a commit: while one group of a team is being committed the next one gathers. A group holds one
 * team only, and holds it before anything else, so that no two can wait for each other; whatever else two
 * transactions may collide on (a mailbox's name, a message's id) PostgreSQL notices, and one of them is tried again.
 *
 * A transaction whose connection is lost on the way is not tried again: it may have been committed. Whoever asked tries
 * again, as after any other failure of ours, and all we write is safe to write twice: messages and removals go by id,
 * names and limits are checked anew, a block of the index is written for the state it was built from.
 */
export function createPostgresWriter(connections: Connections, lockTeam: (teamId: string) => Sql): PostgresWriter {
  const lanes = new Map<string, Waiting[]>()
  const running = new Set<Promise<unknown>>()

  function track<Result>(work: Promise<Result>): Promise<Result> {
    running.add(work)
    void work.catch(() => {}).finally(() => running.delete(work))
    return work
  }

  async function runLane(teamId: string, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) {
      let group: Waiting[] = []
      try {
        await connections.use(async (lent) => {
          group = takeGroup(waiting)
          await commitGroup(lent, lockTeam(teamId), group)
        })
      } catch (error) {
        for (const { reject } of group.length > 0 ? group : waiting.splice(0)) reject(error)
      }
    }
    lanes.delete(teamId)
  }

  return {
    write: (statements) => track(connections.use((lent) => retrying(() => run(lent, statements), isWorthAnotherTry))),

    writeFor: (teamId, statements) =>
      new Promise((resolve, reject) => {
        const transaction = { statements, resolve, reject }
        const waiting = lanes.get(teamId)
        if (waiting) {
          waiting.push(transaction)
          return
        }
        const lane = [transaction]
        lanes.set(teamId, lane)
        void track(runLane(teamId, lane))
      }),

    async close() {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

/** As many as fit into one commit; one with a condition inside has a commit of its own. */
function takeGroup(waiting: Waiting[]): Waiting[] {
  let characters = 0
  let count = 0
  for (const { statements } of waiting) {
    if (count > 0 && (hasCondition(statements) || hasCondition(waiting[0]!.statements))) break
    characters += statements.reduce((sum, statement) => sum + charactersOf(statement), 0)
    if (count > 0 && (count === TRANSACTIONS_PER_COMMIT || characters > CHARACTERS_PER_COMMIT)) break
    count++
  }
  return waiting.splice(0, count)
}

function charactersOf(statement: Statement): number {
  return sqlOf(statement).values.reduce<number>(
    (sum, value) => sum + (value === null || typeof value === 'number' ? 8 : value.length),
    0,
  )
}

function hasCondition(statements: Statement[]): boolean {
  return statements.some((statement, index) => 'required' in statement && index < statements.length - 1)
}

/** One that fails is left out, and the others start over without it. */
async function commitGroup(lent: Lent, lock: Sql, group: Waiting[]): Promise<void> {
  if (hasCondition(group[0]!.statements)) {
    const [{ statements, resolve }] = group as [Waiting]
    const [, ...results] = await retrying(() => run(lent, [lock, ...statements]), isWorthAnotherTry)
    return resolve(results)
  }
  let left = group
  while (left.length > 0) {
    const all = left.flatMap(({ statements }) => statements)
    const outcome = await retrying(() => tryTogether(lent, [lock, ...all]), isWorthAnotherTry)
    if ('results' in outcome) {
      let start = 1
      for (const { statements, resolve } of left) resolve(outcome.results.slice(start, (start += statements.length)))
      return
    }
    let end = 1
    const failed = left.find(({ statements }) => (end += statements.length) > outcome.failed)
    // The lock or the commit: that concerns all of them.
    if (outcome.failed === 0 || !failed) throw outcome.error
    failed.reject(explained(outcome.error))
    left = left.filter((transaction) => transaction !== failed)
  }
}

/** All in one go; which statement failed, if one did, and then nothing is done. */
async function tryTogether(
  { client, begin, toQuery }: Lent,
  statements: Statement[],
): Promise<{ results: Result[] } | { failed: number; error: unknown }> {
  const queries = statements.map((statement) => toQuery(sqlOf(statement)))
  const [begun, ...answers] = await send(client, [begin, ...queries, COMMIT])
  const failed = answers.findIndex(({ status }) => status === 'rejected')
  const failure = begun!.status === 'rejected' ? begun : answers[failed]
  if (failure?.status !== 'rejected') return { results: answers.slice(0, -1).map(resultOf) }
  // After a failure, a commit undoes everything.
  const isAnswered = answers.at(-1)!.status === 'fulfilled'
  if (isAnswered && !isWorthAnotherTry(failure.reason)) return { failed, error: failure.reason }
  throw failure.reason
}

/** One transaction in as few goes as its conditions allow. */
async function run({ client, begin, toQuery }: Lent, statements: Statement[]): Promise<Result[]> {
  const results: Result[] = []
  let isBegun = false
  while (results.length < statements.length) {
    const next = statements.findIndex((statement, index) => index >= results.length && 'required' in statement)
    const end = next === -1 ? statements.length : next + 1
    const isLast = end === statements.length
    const queries = statements.slice(results.length, end).map((statement) => toQuery(sqlOf(statement)))
    const answers = await send(client, [...(isBegun ? [] : [begin]), ...queries, ...(isLast ? [COMMIT] : [])])
    const failure = answers.find(({ status }) => status === 'rejected')
    if (failure?.status === 'rejected') {
      if (!isLast) await client.query('rollback')
      throw failure.reason
    }
    results.push(...answers.slice(isBegun ? 0 : 1, isLast ? -1 : undefined).map(resultOf))
    isBegun = true
    if (isLast) return results
    const last = results.at(-1)!
    if (last === 0 || (Array.isArray(last) && last.length === 0)) break
  }
  await client.query(COMMIT)
  return results
}

function resultOf(answer: PromiseSettledResult<QueryResult>): Result {
  if (answer.status === 'rejected') throw answer.reason
  return answer.value.fields.length > 0 ? answer.value.rows : (answer.value.rowCount ?? 0)
}

function sqlOf(statement: Statement): Sql {
  return 'required' in statement ? statement.required : statement
}
