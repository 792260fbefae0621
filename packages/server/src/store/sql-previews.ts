import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { PREVIEW_SOURCE_MAX } from '../domain/preview.ts'
import type { Database } from './database.ts'
import type { MessageStore } from './messages.ts'
import { sql } from './sql.ts'
import { MESSAGES_WITH_CONTENT } from './sql-tables.ts'

/** Read at a time. SQLite reads a body of 1 MB in full to return its beginning, which takes about a millisecond. */
const MESSAGES_PER_READ = 8

type Row = { id: string; text: string | null; html: string | null; codes: string }

export function previewStore({ dialect, read, runStep }: Database): Pick<MessageStore, 'beginnings'> {
  return {
    async beginnings({ teamId, oldestReceivedAt }, ids) {
      const rows: Row[] = []
      for (let start = 0; start < ids.length; start += MESSAGES_PER_READ) {
        const some = ids.slice(start, start + MESSAGES_PER_READ)
        // Served by the unique index on the id.
        const query = sql`
          select m.id, substr(c.text, 1, ${PREVIEW_SOURCE_MAX.text}) as text,
                 case when c.text is null then substr(c.html, 1, ${PREVIEW_SOURCE_MAX.html}) end as html, c.codes
          from ${MESSAGES_WITH_CONTENT}
          where m.team_id = ${teamId} and ${dialect.isAmong(sql`m.id`, some)}
            and ${dialect.hidden(sql`m.received_at`)} >= ${oldestReceivedAt}`
        rows.push(...(await runStep(teamId, () => read<Row>(query))))
        await yieldToEventLoop()
      }
      return rows.map(({ codes, ...row }) => ({ ...row, codes: JSON.parse(codes) }))
    },
  }
}
