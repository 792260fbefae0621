import { sqlOf, type Database, type Dialect } from '../../src/store/database.ts'
import { assemble, sql, type Sql } from '../../src/store/sql.ts'
import { teamsOf, whyUnbound } from './team-bound.ts'

/** Statements that look over all teams, and why. They only read. */
function acrossTeams({ now, isAmong }: Dialect): { why: string; statement: Sql }[] {
  const outboxes = sql`select team_id as "teamId", due_at as "dueAt", due_at - ${now(0)} as "dueIn" from outboxes`
  const byDueTime = sql`order by due_at, team_id limit ${0}`
  return [
    {
      why: 'finds teams to index at a start',
      statement: sql`select team_id as id from team_state where last_position - indexed_through >= ${0}`,
    },
    {
      why: 'one query a second for all teams that have readers',
      statement: sql`
        select team_id as "teamId", last_position as position from team_state where ${isAmong(sql`team_id`, [''])}`,
    },
    {
      why: 'finds mailboxes to empty',
      statement: sql`
        select id, team_id as "teamId" from mailboxes where removed_at is not null order by removed_at, id`,
    },
    {
      why: 'finds teams with objects to delete',
      statement: sql`
        select distinct team_id as "teamId" from removed_messages where has_objects = 1 and removed_at < ${0}`,
    },
    {
      why: 'finds teams with ids to forget',
      statement: sql`select min(team_id) as "teamId" from removed_messages where team_id > ${''}`,
    },
    { why: 'finds teams with something to send', statement: sql`${outboxes} where true ${byDueTime}` },
    {
      why: 'finds more of them',
      statement: sql`${outboxes} where (due_at, team_id) > (${0}, ${''}) ${byDueTime}`,
    },
    {
      why: 'finds leases of a process',
      statement: sql`
        select distinct team_id as "teamId" from deliveries where lease_owner is not null and lease_owner = ${''}`,
    },
    {
      why: 'finds the addresses with scripts',
      statement: sql`
        select team_id as "teamId", id, domain, mailbox, tag, is_prefix as "isPrefix" from scenarios
        where expires_at > ${0} order by expires_at desc limit ${0}`,
    },
    {
      why: 'the operator sees what every team has',
      statement: sql`
        select at, sender as "from", recipient as "to", code, reason from rejections where true and at >= ${0}
        order by id desc limit ${0}`,
    },
    {
      why: 'the operator lists the keys of all teams, with the names of their mailboxes',
      statement: sql`
        select k.id, k.team_id as "teamId", k.name, k.masked, k.scopes, k.mailbox_id as "mailboxId",
               b.name as "mailboxName", k.expires_at as "expiresAt", k.last_used_at as "lastUsedAt",
               k.created_at as "createdAt", k.created_by as "createdBy"
        from api_keys k
        left join mailboxes b on b.team_id = k.team_id and b.id = k.mailbox_id and b.removed_at is null
        order by k.created_at, k.id`,
    },
  ]
}

/**
 * The same database. A statement on the tables of teams that is not bound to one team fails, and with it the tests. So does one with a list that
 * would read all rows of a team on SQLite. `storeMessage` is no statement: a test of its own reads the function that it calls.
 */
export function boundDatabase(database: Database): Database {
  const allowed = new Set(acrossTeams(database.dialect).map(({ statement }) => plain(statement)))
  const explained = new Set<string>()

  function check(statement: Sql): void {
    const text = plain(statement)
    const problem = whyMiscounted(statement) ?? whyUnbound(statement)
    if (problem && !allowed.has(text)) fail(`${problem}\n${text}`)
    if (!hasList(statement) || explained.has(text)) return
    explained.add(text)
    // Not awaited, so that statements keep their order. A database that is closed by now explains nothing.
    whyScanning(database, statement)
      .then((slow) => slow && fail(`${slow}\n${text}`))
      .catch(() => {})
  }
  return {
    ...database,
    async read(query) {
      check(query)
      return database.read(query)
    },
    async lookup(query) {
      check(query)
      return database.lookup(query)
    },
    async write(...statements) {
      for (const statement of statements) check(sqlOf(statement))
      return database.write(...statements)
    },
    async writeFor(teamId, ...statements) {
      for (const statement of statements) {
        check(sqlOf(statement))
        const [named] = teamsOf(sqlOf(statement))
        if (named !== undefined && named !== teamId) fail(`A transaction for ${teamId} names ${String(named)}.`)
      }
      return database.writeFor(teamId, ...statements)
    },
  }
}

/** Whether it finds rows by a list. Only SQLite's form has `json_each`, so nothing is explained on PostgreSQL. */
function hasList(statement: Sql): boolean {
  return /\bin \(select [^()]*\bvalue from json_each/.test(plain(statement))
}

/** A step that reads a whole table, except results of other steps: `c` is one. */
const READS_ALL = /^SCAN (?!c\b|CONSTANT ROW)(?!\w+(?: EXISTS)? VIRTUAL TABLE)/
/** A step that compares the team with nothing beside it but a range. `team_state`, also named s or t, has one row for each team. */
const READS_TEAM = /^SEARCH (?!(?:team_state|s|t)\b)\w+(?: EXISTS)? USING .*\(team_id=\?(?! AND \w+=\?)/

/**
 * Why a statement with a list would read all rows of a team; null if it does not. Without statistics, SQLite may prefer that. It looks
 * at the text only.
 */
export async function whyScanning(database: Database, statement: Sql): Promise<string | null> {
  const plan = await database.read<{ detail: string }>(sql`explain query plan ${statement}`)
  const scan = plan.find(({ detail }) => READS_ALL.test(detail) || READS_TEAM.test(detail))
  return scan ? `It reads all rows of a team: ${scan.detail}.` : null
}

/** Why Citus reports another number of inserted rows than there are; null if it does not. */
export function whyMiscounted(statement: Sql): string | null {
  const text = plain(statement)
  const isSelected = /^insert into .* select .* on conflict .*do nothing$/.test(text)
  return isSelected && !/ from /.test(text) ? 'Citus counts the rows that it selected: use `returning`.' : null
}

function fail(problem: string): never {
  const error = new Error(problem)
  // Not handled, so it fails the tests also if the program catches the error, as background work does.
  void Promise.reject(error)
  throw error
}

function plain(statement: Sql): string {
  return assemble(statement).text.replaceAll(/\s+/g, ' ').trim()
}
