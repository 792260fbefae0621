import { sql, type Sql } from './sql.ts'

/** The columns of a team `t`. */
export const TEAM = sql`t.id, t.name, t.plan, t.retention_days as "retentionDays", t.domain`

/**
 * Written together with the team. A statement that inserts a row of a team under a condition selects `team_id` from here: if it
 * were a value, Citus would not insert on the team's node, and would count rows that conflict as inserted.
 */
export function addTeamState(teamId: string): Sql {
  return sql`insert into team_state (team_id) values (${teamId})`
}
