import type { Client } from 'pg'
import { sql, type Sql } from './sql.ts'

/**
 * Without statistics, PostgreSQL cannot tell which of the indexes that begin with the team has few rows, and it keeps a plan that
 * it made for an empty table. It collects statistics by itself, but a minute late: by then, a new installation may have
 * thousands of messages, and storing one more reads them all.
 */
const AFTER_MESSAGES = [100, 1_000, 10_000]

/** The messages when PostgreSQL last counted them; -1 if it never has. On Citus, the table itself stays empty. */
const COUNTED = sql`select reltuples as counted from pg_class where oid = cast('messages' as regclass)`

type Run = <Row>(statement: Sql) => Promise<Row[]>

/** Collects statistics when this process has stored its first messages, unless as many were counted before. They are those of all teams. */
export function createStatistics(run: Run): { messageStored(): void } {
  let stored = 0

  async function collect(after: number): Promise<void> {
    const [messages] = await run<{ counted: number }>(COUNTED)
    if (messages!.counted < after) await run(sql`analyze messages, message_contents, mailboxes, team_state`)
  }

  return {
    messageStored() {
      stored++
      // If it fails, PostgreSQL still does it by itself.
      if (AFTER_MESSAGES.includes(stored)) collect(stored).catch(() => {})
    },
  }
}

/** Tables that grow with every message. */
const GROWING_TABLES = ['messages', 'message_contents', 'index_slices']
/** A table that is being vacuumed is locked. The next start tries again. */
const LOCK_MS_MAX = 1_000

/**
 * Leaves columns that no index contains out of the statistics, such as bodies and headers: no plan depends on them, and without
 * them PostgreSQL collects statistics in half the time, which it does whenever a tenth of the messages is new.
 */
export async function skipStatistics(client: Client): Promise<void> {
  const { rows } = await client.query<{ table: string; changes: string }>(SKIPPED_COLUMNS, [GROWING_TABLES])
  for (const { table, changes } of rows) {
    // It saves work and nothing depends on it: another owner of the tables, or a distributed table, may not allow it.
    await client
      .query(`begin; set local lock_timeout = ${LOCK_MS_MAX}; alter table ${table} ${changes}; commit`)
      .catch(() => client.query('rollback'))
  }
}

const SKIPPED_COLUMNS = `
  select a.attrelid::regclass::text as table,
         string_agg(format('alter column %I set statistics 0', a.attname), ', ') as changes
  from unnest($1::text[]) as name
  join pg_attribute a on a.attrelid = to_regclass(name)
  where a.attnum > 0 and not a.attisdropped and coalesce(a.attstattarget, -1) <> 0
    and not exists (select from pg_index i where i.indrelid = a.attrelid and a.attnum = any(i.indkey))
  group by a.attrelid`
