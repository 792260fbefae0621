import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assemble, sql, type Sql } from '../src/store/sql.ts'
import { whyMiscounted } from './support/bound-database.ts'
import { whyUnbound } from './support/team-bound.ts'

const BOUND = [
  sql`select 1 from messages where team_id = ${'t'} and id = ${'m'}`,
  sql`select 1 from messages m join mailboxes b on b.team_id = m.team_id and b.id = m.mailbox_id where m.team_id = ${'t'}`,
  sql`select (select count(*) from read_marks where team_id = m.team_id) from messages m where m.team_id = ${'t'}`,
  sql`insert into messages (team_id, id) select ${'t'}, ${'m'} where not exists (select 1 from removed_messages where team_id = ${'t'})`,
  sql`insert into read_marks (team_id, position) select m.team_id, m.position from messages m where m.team_id = ${'t'}`,
  sql`insert into outboxes (team_id, due_at) values (${'t'}, ${5})`,
  sql`update team_state as s set a = c.a from (select count(*) as a from messages where team_id = ${'t'}) c where s.team_id = ${'t'}`,
  sql`select 1 from messages where team_id = ${'t'} union all select 1 from removed_messages where team_id = ${'t'}`,
  sql`select 1 from api_keys k left join mailboxes b on b.team_id = k.team_id where k.id = ${'k'} and k.team_id = ${'t'}`,
  sql`insert into outboxes (team_id, due_at) select e.team_id, 0 from (select team_id from deliveries where team_id = ${'t'}) e`,
  sql`select (select count(*) from mailboxes where team_id = ${'t'}) as mailboxes`,
  sql`select * from teams where id = ${'t'}`,
  sql`delete from messages as m where +m.team_id = ${'t'} and (m.team_id, m.position) in (select ${'t'}, value from json_each(${'[1]'}))`,
]

const UNBOUND = [
  sql`delete from messages as m where (m.team_id, m.position) in (select ${'t'}, value from json_each(${'[1]'}))`,
  sql`select 1 from messages where id = ${'m'}`,
  sql`select 1 from messages m join mailboxes b on b.id = m.mailbox_id where m.team_id = ${'t'}`,
  sql`select 1 from messages m join mailboxes b on b.team_id = m.team_id where m.id = ${'m'}`,
  sql`select (select count(*) from read_marks where position = 1) from messages m where m.team_id = ${'t'}`,
  sql`insert into messages (id, team_id) values (${'m'}, ${'t'})`,
  sql`insert into read_marks (team_id, position) select m.team_id, m.position from messages m where m.id = ${'m'}`,
  sql`delete from deliveries where id in (select id from deliveries where team_id = ${'t'})`,
  sql`select 1 from messages where team_id = ${'t'} union all select 1 from removed_messages where id = ${'m'}`,
  sql`select 1 from messages where team_id = ${'t'} and exists (select 1 from mailboxes where team_id = ${'another'})`,
  sql`select 1 from (select id as team_id from teams) t join messages m on m.team_id = t.team_id`,
  sql`select 1 from (select k.team_id from api_keys k join messages m on m.team_id = ${'t'}) t join messages m on m.team_id = t.team_id`,
  sql`select 1 from (select team_id from api_keys where team_id = ${'t'}) t join messages m on m.team_id = t.team_id`,
  sql`select 1 from teams t, messages m`,
  sql`select 1 from messages m, deliveries d where m.team_id = ${'t'}`,
  sql`select 1 from teams t join messages m using (id) where m.team_id = ${'t'}`,
  sql`select 1 from messages where team_id = ${'t'} or id = ${'m'}`,
  sql`select 1 from messages where not team_id = ${'t'}`,
  sql`select 1 from messages m left join mailboxes b on b.team_id = m.team_id and m.team_id = ${'t'}`,
  sql`select 1 from messages m where m.team_id = ${'t'} and exists (select 1 from deliveries m where m.team_id = m.team_id)`,
  sql`select 1 from public.messages where team_id = ${'t'}`,
  sql`update messages set team_id = ${'t'}`,
  sql`update messages set position = 1, team_id = ${'t'} where id = ${'m'}`,
  sql`insert into outboxes (team_id, due_at) select team_id, 0 from api_keys`,
  sql`insert into outboxes (team_id, due_at) values (${'t'}, 0), ((select min(id) from teams), 0)`,
  sql`insert into outboxes (team_id, due_at) select ${'t'}, 0 union all select team_id, 0 from api_keys`,
  sql`insert into outboxes (team_id, due_at) select team_id, 0 from messages on conflict (team_id) do update set due_at = 0 where team_id = ${'t'}`,
  sql`truncate messages`,
]

test.each(BOUND.map((statement) => [assemble(statement).text, statement] as const))('bound: %s', (_, statement) => {
  expect(whyUnbound(statement)).toBeNull()
})

test.each(UNBOUND.map((statement) => [assemble(statement).text, statement] as const))(
  'not bound: %s',
  (_, statement) => {
    expect(whyUnbound(statement)).not.toBeNull()
  },
)

test('an insert of rows from no table needs `returning`, where conflicts are ignored', () => {
  const insert = sql`insert into api_keys (id, hash) select ${'1'}, ${'2'} where true on conflict (hash) do nothing`
  expect(whyMiscounted(insert)).toContain('returning')
  expect(whyMiscounted(sql`${insert} returning id`)).toBeNull()
  expect(whyMiscounted(sql`insert into api_keys (id) values (${'1'}) on conflict do nothing`)).toBeNull()
})

test.each(['lock_team', 'store_messages'])('the function %s is bound to the team that it is given', (name) => {
  const statements = statementsOf(name)
  expect(statements.map(whyUnbound).filter((problem) => problem !== null)).toEqual([])
  // The same statements without the comparison with the team.
  const unbound = statements.map(({ strings, parts }) => ({
    strings: strings.map((piece) => piece.replace(/team_id = $/, 'id = ')),
    parts,
  }))
  expect(unbound.filter(whyUnbound)).not.toEqual([])
})

/** The statements of a function in the newest migration that creates it, with its argument `team` as their parameter. */
function statementsOf(name: string): Sql[] {
  const folder = join(import.meta.dirname, '../src/store/migrations-postgres')
  const files = globSync('*.sql', { cwd: folder }).sort()
  const source = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
  const pattern = new RegExp(`function ${name}\\(.*?\\$\\$(.*?)\\$\\$`, 'gs')
  const body = Array.from(source.matchAll(pattern)).at(-1)![1]!
  // The messages that the function is given have a column with the name of a table.
  const plain = body.replaceAll(/for item in .*?\bloop\b/gs, '').replaceAll(/\bitem\.\w+/g, 'null')
  return plain.split(';').map((statement) => {
    const strings = statement.split(/\bteam\b/)
    return { strings, parts: Array.from({ length: strings.length - 1 }, () => 't') }
  })
}
