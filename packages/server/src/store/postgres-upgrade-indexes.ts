import type { Client } from 'pg'
import type { OnMigration } from './migration-progress.ts'
import { inShortTransaction } from './postgres-short-transaction.ts'

/** Built beside those of schema 10. The last step gives them the names without `new_`. */
const INDEXES: Record<string, string> = {
  new_mailboxes_pkey: 'unique mailboxes (team_id, id)',
  mailboxes_removed: 'mailboxes (team_id, id) where removed_at is not null',
  upgrade_mailboxes_by_address: 'mailboxes (domain, name)',
  new_messages_team_id_id_key: 'unique messages (team_id, id)',
  new_messages_by_mailbox: 'messages (team_id, mailbox_id, received_at, position)',
  new_message_contents_pkey: 'unique message_contents (team_id, position)',
  new_read_marks_pkey: 'unique read_marks (team_id, position)',
  new_read_marks_by_state: 'read_marks (team_id, is_read, position)',
  new_removed_messages_pkey: 'unique removed_messages (team_id, id)',
  new_removed_messages_with_objects: 'removed_messages (team_id, id) where has_objects = 1',
  new_removed_messages_by_time: 'removed_messages (team_id, removed_at)',
  new_rejections_pkey: 'unique rejections (team_id, id)',
  rejections_by_id: 'rejections (id)',
  new_webhook_endpoints_pkey: 'unique webhook_endpoints (team_id, id)',
  new_deliveries_pkey: 'unique deliveries (team_id, id)',
  new_deliveries_by_endpoint: 'deliveries (team_id, endpoint_id, created_at, id)',
  new_deliveries_pending: `deliveries (team_id, endpoint_id, next_attempt_at, id) where status = 'pending'`,
  new_deliveries_failed: `deliveries (team_id, endpoint_id, created_at, id) where status = 'failed'`,
  new_deliveries_succeeded: `deliveries (team_id, endpoint_id, created_at, id) where status = 'success'`,
  new_deliveries_leased: 'deliveries (team_id, endpoint_id, lease_until) where lease_owner is not null',
  new_delivery_attempts_pkey: 'unique delivery_attempts (team_id, delivery_id, attempt)',
}

/** A column becomes `not null` without a scan if a validated check says so. */
const CHECKS = {
  message_contents: 'team_id is not null and position is not null',
  read_marks: 'position is not null',
  removed_messages: 'team_id is not null',
  rejections: 'team_id is not null',
  deliveries: 'team_id is not null',
  delivery_attempts: 'team_id is not null and delivery_id is not null and attempt is not null',
}

const FOREIGN_KEYS = [
  ['messages', 'team_id, mailbox_id', 'mailboxes (team_id, id)'],
  ['message_contents', 'team_id, position', 'messages (team_id, position) on delete cascade'],
  ['read_marks', 'team_id, position', 'messages (team_id, position) on delete cascade'],
  ['deliveries', 'team_id, endpoint_id', 'webhook_endpoints (team_id, id)'],
  ['delivery_attempts', 'team_id, delivery_id', 'deliveries (team_id, id) on delete cascade'],
] as const

type Constraint = { table: string; name: string; definition: string }

const CONSTRAINTS: Constraint[] = [
  ...Object.entries(CHECKS).map(([table, condition]) => ({
    table,
    name: 'upgrade_filled',
    definition: `check (${condition})`,
  })),
  ...FOREIGN_KEYS.map(([table, columns, target]) => ({
    table,
    name: `${table}_${columns.replace(', ', '_')}_fkey`,
    definition: `foreign key (${columns}) references ${target}`,
  })),
]

/** Writes wait for a moment at most. What is there from an earlier attempt stays. */
export async function addKeys(client: Client, onMigration: OnMigration): Promise<void> {
  const indexes = Object.entries(INDEXES)
  const total = indexes.length + CONSTRAINTS.length
  let done = 0
  for (const [name, definition] of indexes) {
    await buildIndex(client, name, definition)
    onMigration({ table: 'indexes', done: ++done, total })
  }
  for (const constraint of CONSTRAINTS) {
    await addConstraint(client, constraint)
    onMigration({ table: 'indexes', done: ++done, total })
  }
  const tables = new Set(CONSTRAINTS.map(({ table }) => table))
  await client.query(`analyze ${Array.from(tables).join()}, team_state, root_names, outboxes`)
}

async function buildIndex(client: Client, name: string, definition: string): Promise<void> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [name],
  )
  if (rows[0]?.valid) return
  // Left by an attempt that was killed.
  if (rows[0]) await client.query(`drop index concurrently ${name}`)
  const [unique, rest] = definition.startsWith('unique ') ? ['unique', definition.slice(7)] : ['', definition]
  await client.query(`create ${unique} index concurrently ${name} on ${rest}`)
}

async function addConstraint(client: Client, { table, name, definition }: Constraint): Promise<void> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select convalidated as valid from pg_constraint where conrelid = $1::regclass and conname = $2',
    [table, name],
  )
  if (rows[0]?.valid) return
  if (!rows[0])
    await inShortTransaction(client, () =>
      client.query(`alter table ${table} add constraint ${name} ${definition} not valid`),
    )
  await client.query(`alter table ${table} validate constraint ${name}`)
}
