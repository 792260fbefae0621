import { sql } from './sql.ts'

/** The columns of a team `t`. */
export const TEAM = sql`t.id, t.name, t.plan, t.retention_days as "retentionDays", t.domain`
