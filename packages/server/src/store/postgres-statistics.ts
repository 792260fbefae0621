import { sql, type Sql } from './sql.ts'

/**
 * Without statistics, PostgreSQL cannot tell which of the indexes that begin with the team has few rows, and it keeps a plan that
 * it made for an empty table. It collects statistics by itself, but a minute late: by then, a new installation may have
 * thousands of messages, and storing one more reads them all.
 */
const AFTER_MESSAGES = [100, 1_000, 10_000]

/** Collects statistics when a team has received its first messages. */
export function createStatistics(run: (statement: Sql) => Promise<unknown>): { messageStored(position: number): void } {
  return {
    messageStored(position) {
      if (!AFTER_MESSAGES.includes(position)) return
      // If it fails, PostgreSQL still does it by itself.
      run(sql`analyze messages, message_contents, mailboxes, team_state`).catch(() => {})
    },
  }
}
