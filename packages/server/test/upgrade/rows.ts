import { query } from './previous-database.ts'

const IS_CAUGHT = `
  b.is_caught = 1
  or (not exists (select from root_names r where r.domain = b.domain and r.name = b.name and r.mailbox_id = b.id)
      and not exists (select from teams t where t.id = b.team_id and t.domain = b.domain))`

/** What must be the same however a database came to the newest schema. */
const COMPARED = {
  teams: 'select id, name, plan, domain from teams t',
  team_state: `
    select team_id, last_position, message_count, read_through, read_count, mark_version, tag_version from team_state t`,
  // A mailbox that lost its name is caught, whether or not the column says so.
  mailboxes: `
    select b.team_id, b.id, b.name, b.domain, ${IS_CAUGHT} as is_caught, b.created_at, b.updated_at, b.removed_at
    from mailboxes b`,
  root_names: 'select * from root_names t',
  messages: 'select * from messages t',
  message_contents: 'select * from message_contents t',
  read_marks: 'select * from read_marks t',
  message_tags: 'select * from message_tags t',
  removed_messages: 'select * from removed_messages t',
  // New servers choose other ids.
  rejections: 'select team_id, at, sender, recipient, code, reason from rejections t',
  webhook_endpoints: 'select * from webhook_endpoints t',
  deliveries: 'select * from deliveries t',
  delivery_attempts: 'select * from delivery_attempts t',
}

export type Rows = Record<string, string[]>

/** The rows of each table, without regard to the order of rows and columns. */
export async function rowsOf(url: string): Promise<Rows> {
  const tables = Object.entries(COMPARED).map(async ([name, select]) => {
    const rows = await query<{ row: string }>(url, `select to_jsonb(x)::text as row from (${select}) x`)
    return [name, rows.map(({ row }) => row).sort()] as const
  })
  return Object.fromEntries(await Promise.all(tables))
}

type Sets = { formerHolders: string[]; dueAt: Map<string, number> }

/** What may be more, or sooner, after an upgrade side by side. */
export async function setsOf(url: string): Promise<Sets> {
  const holders = await query<{ holder: string }>(
    url,
    `select domain || ' ' || name || ' ' || team_id as holder from former_holders`,
  )
  const outboxes = await query<{ team_id: string; due_at: string }>(url, 'select team_id, due_at from outboxes')
  return {
    formerHolders: holders.map(({ holder }) => holder),
    dueAt: new Map(outboxes.map(({ team_id: teamId, due_at: dueAt }) => [teamId, Number(dueAt)])),
  }
}
