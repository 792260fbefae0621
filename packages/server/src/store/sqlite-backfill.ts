import type { DatabaseSync } from 'node:sqlite'
import { prepareQuery } from '../sqlite/query.ts'
import type { OnMigration } from './migration-progress.ts'

/** Per transaction. Moved rows make room for the next ones, so the file hardly grows. */
const ROWS_MAX = 500
/** Limits the write-ahead log: a message with its bodies can have 4 MB. One larger row is a transaction of its own. */
const BYTES_MAX = 8_388_608

/** Rows of an old table, with those that refer to them. */
type Move = {
  table: string
  from: string
  key: string
  /** The size of a row, as far as it can be large. */
  bytes: string
  /** For the rows up to the key `upTo`. The last statement deletes them, and by `cascade` those that refer to them. */
  statements: readonly string[]
}

/**
 * Moves rows from the tables before schema 11 in small transactions. A row is in one table or the other, so a run that was
 * interrupted, at any point, continues when it is started again.
 */
export function moveOldRows(connection: DatabaseSync, onMigration: OnMigration): void {
  for (const move of MOVES) {
    const total = Number(connection.prepare(`select count(*) as count from ${move.from}`).get()!['count'])
    let done = 0
    for (;;) {
      const moved = moveBatch(connection, move)
      if (moved === 0) break
      done += moved
      onMigration({ table: move.table, done, total })
    }
  }
}

/** Returns the number of moved rows, 0 at the end. */
function moveBatch(connection: DatabaseSync, move: Move): number {
  connection.exec('begin immediate')
  try {
    const keys = nextKeys(connection, move)
    const upTo = keys.at(-1)
    if (upTo !== undefined) for (const text of move.statements) connection.prepare(text).run({ upTo })
    connection.exec('commit')
    return keys.length
  } catch (error) {
    if (connection.isTransaction) connection.exec('rollback')
    throw error
  }
}

function nextKeys(connection: DatabaseSync, { from, key, bytes }: Move): (string | number)[] {
  const rows = prepareQuery<{ key: string | number; bytes: number }>(
    connection,
    `select ${key} as key, ${bytes} as bytes from ${from} order by ${key} limit ${ROWS_MAX}`,
  ).all()
  let sum = 0
  const over = rows.findIndex((row) => (sum += row.bytes) > BYTES_MAX)
  return rows.slice(0, over === -1 ? rows.length : Math.max(over, 1)).map((row) => row.key)
}

const MOVES: readonly Move[] = [
  {
    table: 'messages',
    from: 'old_messages',
    key: 'sequence',
    bytes: `coalesce((select octet_length(headers) + coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0)
                             + coalesce(octet_length(body_folded), 0) + octet_length(links)
                      from old_message_contents c where c.sequence = old_messages.sequence), 0)`,
    statements: [
      `insert into messages (team_id, position, id, mailbox_id, mailbox_with_tag, tag, domain, tenant_subdomain, sender, sender_name,
                             recipient, subject, received_at, stored_at, size, attachment_count, subject_folded, sender_folded,
                             recipient_folded, mailbox_with_tag_folded, object_mailbox)
       select team_id, position, id, mailbox_id, mailbox_with_tag, tag, domain, tenant_subdomain, sender, sender_name,
              recipient, subject, received_at, stored_at, size, attachment_count, subject_folded, sender_folded,
              recipient_folded, mailbox_with_tag_folded, object_mailbox
       from old_messages where sequence <= :upTo`,
      `insert into message_contents (team_id, position, headers, html, text, body_folded, codes, links, attachments, envelope, parse)
       select m.team_id, m.position, c.headers, c.html, c.text, c.body_folded, c.codes, c.links, c.attachments, c.envelope, c.parse
       from old_messages m cross join old_message_contents c
       where m.sequence <= :upTo and c.sequence = m.sequence`,
      `insert into read_marks (team_id, position, is_read, version)
       select m.team_id, m.position, r.is_read, r.version
       from old_messages m cross join old_read_marks r
       where m.sequence <= :upTo and r.sequence = m.sequence`,
      'delete from old_messages where sequence <= :upTo',
    ],
  },
  {
    table: 'deliveries',
    from: 'old_deliveries',
    key: 'sequence',
    bytes: 'octet_length(body)',
    statements: [
      `insert into deliveries (team_id, id, endpoint_id, event, event_id, message_id, body, status, attempt, attempts_before,
                               next_attempt_at, http_status, response_body, latency_ms, error, lease_owner, lease_until, created_at,
                               finished_at)
       select e.team_id, d.id, d.endpoint_id, d.event, d.event_id, d.message_id, d.body, d.status, d.attempt, d.attempts_before,
              d.next_attempt_at, d.http_status, d.response_body, d.latency_ms, d.error, d.lease_owner, d.lease_until, d.created_at,
              d.finished_at
       from old_deliveries d cross join old_webhook_endpoints e
       where d.sequence <= :upTo and e.id = d.endpoint_id`,
      `insert into delivery_attempts (team_id, delivery_id, attempt, at, http_status, response_body, latency_ms, error)
       select e.team_id, d.id, row_number() over (partition by a.delivery order by a.sequence), a.at, a.http_status,
              a.response_body, a.latency_ms, a.error
       from old_deliveries d cross join old_delivery_attempts a cross join old_webhook_endpoints e
       where d.sequence <= :upTo and a.delivery = d.sequence and e.id = d.endpoint_id`,
      'delete from old_deliveries where sequence <= :upTo',
    ],
  },
  {
    table: 'removed messages',
    from: 'old_removed_messages',
    key: 'id',
    bytes: '0',
    statements: [
      `insert into removed_messages (team_id, id, domain, mailbox, removed_at, has_objects)
       select coalesce(team_id, ''), id, domain, mailbox, removed_at, has_objects from old_removed_messages where id <= :upTo`,
      'delete from old_removed_messages where id <= :upTo',
    ],
  },
  {
    table: 'rejections',
    from: 'old_rejections',
    key: 'id',
    bytes: '0',
    statements: [
      `insert into rejections (team_id, id, at, sender, recipient, code, reason)
       select coalesce(team_id, ''), id, at, sender, recipient, code, reason from old_rejections where id <= :upTo`,
      'delete from old_rejections where id <= :upTo',
    ],
  },
]
