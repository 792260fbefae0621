import type { NewRow, StoredRow } from './database.ts'
import { DatabaseUnavailable } from './postgres-errors.ts'
import { sql, type Sql } from './sql.ts'
import { createTeamQueues } from './team-queues.ts'

/** A larger group would delay its messages, and other processes that wait for the team, too much. */
const MESSAGES_PER_CALL = 64
/** The same for a few large ones: characters of a group. */
const CHARACTERS_PER_CALL = 4_194_304

type Waiting = { json: string; resolve: (stored: StoredRow) => void; reject: (error: unknown) => void }
type Call = <Row>(statement: Sql) => Promise<Row[]>

export type PostgresIntake = {
  store(teamId: string, row: NewRow): Promise<StoredRow>
  /** Resolves when all pending messages are stored. */
  close(): Promise<void>
}

/**
 * Stores the messages of a team in groups, each with one call of the function `store_messages`: while one group is being
 * stored, the next one is collected. The call is a transaction, and locks the team as every other one does.
 */
export function createPostgresIntake(call: Call, onStored: () => void): PostgresIntake {
  function storeTogether(teamId: string, group: Waiting[]): Promise<StoredRow[]> {
    const given = `[${group.map(({ json }) => json).join(',')}]`
    return call(sql`
      select stored, is_unchanged as "isUnchanged" from store_messages(${teamId}, ${given}) order by place`)
  }

  /** A message that fails is left out: the others are stored one by one. */
  async function storeGroup(teamId: string, group: Waiting[]): Promise<void> {
    try {
      const rows = await storeTogether(teamId, group)
      group.forEach(({ resolve }, index) => resolve(rows[index]!))
      for (const { stored } of rows) if (stored !== null) onStored()
    } catch (error) {
      if (group.length > 1 && !(error instanceof DatabaseUnavailable)) {
        for (const one of group) await storeGroup(teamId, [one])
      } else {
        for (const { reject } of group) reject(error)
      }
    }
  }

  const queues = createTeamQueues<Waiting>((teamId, waiting) => storeGroup(teamId, takeGroup(waiting)))

  return {
    store: (teamId, row) =>
      new Promise((resolve, reject) => queues.add(teamId, { json: JSON.stringify(row), resolve, reject })),
    close: queues.close,
  }
}

function takeGroup(waiting: Waiting[]): Waiting[] {
  let characters = 0
  let count = 0
  for (const { json } of waiting) {
    characters += json.length
    if (count > 0 && (count === MESSAGES_PER_CALL || characters > CHARACTERS_PER_CALL)) break
    count++
  }
  return waiting.splice(0, count)
}
