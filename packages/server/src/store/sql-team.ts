import { sql, type Sql } from './sql.ts'

/** The columns of a team `t`. */
export const TEAM = sql`t.id, t.name, t.plan, t.retention_days as "retentionDays", t.domain`

/** Written together with the team. */
export function addTeamState(teamId: string): Sql {
  return sql`insert into team_state (team_id) values (${teamId})`
}
