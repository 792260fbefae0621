import { sqlOf, type Database } from '../../src/store/database.ts'
import type { Sql } from '../../src/store/sql.ts'
import { teamsOf, whyUnbound } from './team-bound.ts'

/** Statements that look over all teams, and why. They only read. */
const ACROSS_TEAMS: { begins: string; why: string }[] = [
  { begins: 'select team_id as id from team_state where last_position', why: 'finds teams to index at a start' },
  { begins: 'select team_id as "teamid", last_position', why: 'one query a second for all teams that have readers' },
  { begins: 'select id, team_id as "teamid" from mailboxes where removed_at', why: 'finds mailboxes to empty' },
  { begins: 'select distinct team_id as "teamid" from removed_messages', why: 'finds teams with objects to delete' },
  { begins: 'select team_id as "teamid", due_at', why: 'finds teams with something to send' },
  { begins: 'select distinct team_id as "teamid" from deliveries where lease_owner', why: 'finds leases of a process' },
  {
    begins: 'select at, sender as "from", recipient as "to", code, reason from rejections where true',
    why: 'the operator sees what every team has',
  },
  { begins: 'select k.id, k.team_id as "teamid", k.name', why: 'the operator lists the keys of all teams' },
]

/** The same database. A statement on the tables of teams that is not bound to one team fails. */
export function boundDatabase(database: Database): Database {
  return {
    ...database,
    async read(query) {
      check(query)
      return database.read(query)
    },
    async write(...statements) {
      for (const statement of statements) check(sqlOf(statement))
      return database.write(...statements)
    },
    async writeFor(teamId, ...statements) {
      for (const statement of statements) {
        check(sqlOf(statement))
        const [named] = teamsOf(sqlOf(statement))
        if (named !== undefined && named !== teamId)
          throw new Error(`A transaction for ${teamId} names ${String(named)}.`)
      }
      return database.writeFor(teamId, ...statements)
    },
  }
}

function check(statement: Sql): void {
  const problem = whyUnbound(statement)
  if (!problem) return
  const plain = statement.text.join('?').replaceAll(/\s+/g, ' ').trim().toLowerCase()
  if (!ACROSS_TEAMS.some(({ begins }) => plain.startsWith(begins))) throw new Error(`${problem}\n${plain}`)
}
