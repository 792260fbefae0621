import { expect, test } from 'vitest'
import { sql } from '../src/store/sql.ts'
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
  sql`select * from teams where id = ${'t'}`,
]

const UNBOUND = [
  sql`select 1 from messages where id = ${'m'}`,
  sql`select 1 from messages m join mailboxes b on b.id = m.mailbox_id where m.team_id = ${'t'}`,
  sql`select 1 from messages m join mailboxes b on b.team_id = m.team_id where m.id = ${'m'}`,
  sql`select (select count(*) from read_marks where position = 1) from messages m where m.team_id = ${'t'}`,
  sql`insert into messages (id, team_id) values (${'m'}, ${'t'})`,
  sql`insert into read_marks (team_id, position) select m.team_id, m.position from messages m where m.id = ${'m'}`,
  sql`delete from deliveries where id in (select id from deliveries where team_id = ${'t'})`,
  sql`select 1 from messages where team_id = ${'t'} union all select 1 from removed_messages where id = ${'m'}`,
  sql`select 1 from messages where team_id = ${'t'} and exists (select 1 from mailboxes where team_id = ${'another'})`,
]

test.each(BOUND.map((statement) => [statement.text.join('?'), statement] as const))('bound: %s', (_, statement) => {
  expect(whyUnbound(statement)).toBeNull()
})

test.each(UNBOUND.map((statement) => [statement.text.join('?'), statement] as const))(
  'not bound: %s',
  (_, statement) => {
    expect(whyUnbound(statement)).not.toBeNull()
  },
)
