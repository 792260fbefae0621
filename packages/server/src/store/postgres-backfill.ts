import type { Client } from 'pg'
import { REMEMBERED_MS } from '../domain/retry.ts'
import type { OnMigration } from './migration-progress.ts'
import { inShortTransaction } from './postgres-short-transaction.ts'

/** Few enough that statements which need one of the rows wait for a moment only: mailboxes take half a second. */
const ROWS_PER_STEP = 500

/**
 * Fills the rows that existed before the triggers. The statements handle the rows whose key is above $1 and up
 * to $2, and leave alone what a trigger has written.
 */
type Fill = { table: string; key: string; type: 'bigint' | 'text'; statements: string[] }

/** Addresses whose mail the team received, and which it does not have any more: their announcements may be repeated. */
function rememberHolders(mailbox: 'object_mailbox' | 'mailbox', which: string): string {
  const table = mailbox === 'mailbox' ? 'removed_messages' : 'messages'
  return `
    insert into former_holders (domain, name, team_id, left_at)
    select distinct m.domain, m.${mailbox}, m.team_id, upgrade_now()
    from ${table} m
    where ${which}
      and not exists (select from teams t where t.id = m.team_id and t.domain = m.domain)
      and not exists (select from root_names r
                      where r.domain = m.domain and r.name = m.${mailbox} and r.team_id = m.team_id)
    on conflict (domain, name, team_id) do nothing`
}

const FILLS: Fill[] = [
  {
    table: 'teams',
    key: 'id',
    type: 'text',
    statements: [
      // With locks, because an old server may count a message meanwhile.
      `insert into team_state (team_id, last_position, message_count, read_through, read_count, mark_version)
       select id, last_position, message_count, read_through, read_count, mark_version
       from teams
       where id > $1 and id <= $2
       order by id
       for share
       on conflict (team_id) do nothing`,
    ],
  },
  {
    table: 'mailboxes',
    key: 'id',
    type: 'text',
    statements: [
      // Locks the keys, so that neither a mailbox nor its team gets another domain or name meanwhile.
      `select from mailboxes b join teams t on t.id = b.team_id where b.id > $1 and b.id <= $2 for key share of b, t`,
      `insert into root_names (domain, name, team_id, mailbox_id)
       select b.domain, b.name, b.team_id, b.id
       from mailboxes b join teams t on t.id = b.team_id
       where b.id > $1 and b.id <= $2 and b.removed_at is null and b.domain not like '% %'
         and t.domain is distinct from b.domain
       on conflict (domain, name) do nothing`,
      `insert into former_holders (domain, name, team_id, left_at)
       select replace(domain, ' ' || team_id, ''), name, team_id, upgrade_now()
       from mailboxes
       where id > $1 and id <= $2 and removed_at is null and domain like '% %'
       on conflict (domain, name, team_id) do nothing`,
      `update mailboxes set is_caught = 1 where id > $1 and id <= $2 and domain like '% %' and is_caught = 0`,
    ],
  },
  {
    table: 'message_contents',
    key: 'sequence',
    type: 'bigint',
    statements: [
      `update message_contents c set team_id = m.team_id, position = m.position
       from messages m
       where c.sequence > $1 and c.sequence <= $2 and c.position is null and m.sequence = c.sequence`,
      rememberHolders(
        'object_mailbox',
        `m.sequence > $1 and m.sequence <= $2 and m.stored_at > upgrade_now() - ${REMEMBERED_MS}`,
      ),
    ],
  },
  {
    table: 'read_marks',
    key: 'sequence',
    type: 'bigint',
    statements: [
      `update read_marks r set position = m.position
       from messages m
       where r.sequence > $1 and r.sequence <= $2 and r.position is null and m.sequence = r.sequence`,
    ],
  },
  {
    table: 'removed_messages',
    key: 'id',
    type: 'text',
    statements: [
      `update removed_messages set team_id = '' where id > $1 and id <= $2 and team_id is null`,
      rememberHolders(
        'mailbox',
        `m.id > $1 and m.id <= $2 and m.team_id <> '' and m.removed_at > upgrade_now() - ${REMEMBERED_MS}`,
      ),
    ],
  },
  {
    table: 'rejections',
    key: 'id',
    type: 'bigint',
    statements: [`update rejections set team_id = '' where id > $1 and id <= $2 and team_id is null`],
  },
  {
    table: 'deliveries',
    key: 'sequence',
    type: 'bigint',
    statements: [
      `update deliveries d set team_id = e.team_id
       from webhook_endpoints e
       where d.sequence > $1 and d.sequence <= $2 and d.team_id is null and e.id = d.endpoint_id`,
      `insert into outboxes as o (team_id, due_at)
       select team_id, coalesce(min(next_attempt_at), 0)
       from deliveries
       where sequence > $1 and sequence <= $2 and status = 'pending'
       group by team_id
       on conflict (team_id) do update set due_at = least(o.due_at, excluded.due_at)`,
      `update delivery_attempts a set team_id = n.team_id, delivery_id = n.id, attempt = n.place
       from (select x.sequence, d.team_id, d.id, row_number() over (partition by d.sequence order by x.sequence) as place
             from delivery_attempts x join deliveries d on d.sequence = x.delivery
             where d.sequence > $1 and d.sequence <= $2) n
       where a.sequence = n.sequence and a.attempt is null`,
    ],
  },
]

/** Every step is a transaction that also records how far it came. */
export async function fillRows(client: Client, onMigration: OnMigration): Promise<void> {
  for (const fill of FILLS) await fillTable(client, fill, onMigration)
}

async function fillTable(
  client: Client,
  { table, key, type, statements }: Fill,
  onMigration: OnMigration,
): Promise<void> {
  let { through, done } = await reached(client, table, type)
  const { rows } = await client.query<{ total: number }>(`select count(*) as total from ${table}`)
  const total = rows[0]!.total
  const nextKey = `
    select max(key)::text as through, count(*) as rows
    from (select ${key} as key from ${table} where ${key} > $1::${type} order by ${key} limit ${ROWS_PER_STEP}) page`
  const typed = statements.map((text) => text.replaceAll(/\$\d/g, (value) => `${value}::${type}`))
  for (;;) {
    const page = await client.query<{ through: string | null; rows: number }>(nextKey, [through])
    const { through: next, rows: count } = page.rows[0]!
    if (next === null) return
    await inShortTransaction(client, async () => {
      for (const text of typed) await client.query(text, [through, next])
      await client.query(
        `insert into upgrade_fills values ($1, $2, $3)
         on conflict (name) do update set through = excluded.through, done = excluded.done`,
        [table, next, done + count],
      )
    })
    through = next
    done += count
    // Rows that were added meanwhile are filled already, and only counted.
    onMigration({ table, done: Math.min(done, total), total })
  }
}

async function reached(client: Client, table: string, type: Fill['type']): Promise<{ through: string; done: number }> {
  const { rows } = await client.query<{ through: string; done: number }>(
    'select through, done from upgrade_fills where name = $1',
    [table],
  )
  return rows[0] ?? { through: type === 'text' ? '' : '0', done: 0 }
}
