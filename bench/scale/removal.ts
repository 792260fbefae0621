import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { ROWS_PER_REMOVAL } from '../../packages/server/src/manage/removal.ts'
import type { Mailbox } from '../../packages/server/src/store/mailboxes.ts'
import type { Store } from '../../packages/server/src/store/store.ts'
import { startLoad } from './load.ts'

const LOAD_MS = 8_000
const DAY_MS = 86_400_000
/** Longer than the 1 to 13 days that the messages of bench/search span, so that the copies do not overlap. */
const AGE_STEP_MS = 20 * DAY_MS

export type Removal = {
  rows: number
  /** Before the first deletion and after the last. */
  idleInsertsPerSecond: [number, number]
  seconds: number
  megabytes: { before: number; after: number; afterVacuum: number; refilled: number }
  loaded: { seconds: number; insertsPerSecond: number }
}

/** Deletes a third of a team's messages as the sweep does, then a second third under load. */
export async function measureRemoval(
  client: pg.Client,
  store: Store,
  mailboxes: Mailbox[],
  rows: number,
): Promise<Removal> {
  const { teamId } = mailboxes[0]!
  await client.query('checkpoint')
  const idleBefore = await loadFor(store, mailboxes)
  const before = await megabytes(client)
  const seconds = await removeAll(store, teamId, Date.now())
  const after = await megabytes(client)
  await client.query('vacuum messages, message_contents, removed_messages')
  const afterVacuum = await megabytes(client)

  const stop = startLoad(store, mailboxes, Date.now() + 3 * AGE_STEP_MS)
  const loadedSeconds = await removeAll(store, teamId, Date.now() + AGE_STEP_MS)
  const insertsPerSecond = await stop()
  const refilled = await megabytes(client)
  return {
    rows,
    idleInsertsPerSecond: [idleBefore, await loadFor(store, mailboxes)],
    seconds,
    megabytes: { before, after, afterVacuum, refilled },
    loaded: { seconds: loadedSeconds, insertsPerSecond },
  }
}

/** Copies all messages of a team twice, each copy younger than the previous one. */
export async function addYoungerCopies(client: pg.Client, teamId: string): Promise<void> {
  for (const copy of [1, 2]) {
    await client.query(
      `with copied as (
         insert into messages (team_id, position, id, mailbox_id, mailbox_with_tag, tag, domain, tenant_subdomain, sender,
                               sender_name, recipient, subject, received_at, stored_at, size, attachment_count,
                               subject_folded, sender_folded, recipient_folded, mailbox_with_tag_folded, object_mailbox)
         select team_id, position + $2 * 1000000, id || '-' || $2, mailbox_id, mailbox_with_tag, tag, domain,
                tenant_subdomain, sender, sender_name, recipient, subject, received_at + $2 * ${AGE_STEP_MS}::bigint,
                stored_at, size, attachment_count, subject_folded, sender_folded, recipient_folded,
                mailbox_with_tag_folded, object_mailbox
         from messages where team_id = $1 and position < 1000000
         order by position
         returning team_id, position)
       insert into message_contents (team_id, position, headers, html, text, body_folded, codes, links, attachments, envelope, parse)
       select copied.team_id, copied.position, c.headers, c.html, c.text, c.body_folded, c.codes, c.links, c.attachments, c.envelope, c.parse
       from copied join message_contents c on c.team_id = $1 and c.position = copied.position - $2 * 1000000`,
      [teamId, copy],
    )
  }
  await client.query(
    `update team_state set message_count = message_count * 3, last_position = 3000000, indexed_through = 3000000
     where team_id = $1`,
    [teamId],
  )
  await client.query('vacuum analyze')
}

async function loadFor(store: Store, mailboxes: Mailbox[]): Promise<number> {
  const stop = startLoad(store, mailboxes, Date.now() + 3 * AGE_STEP_MS)
  await sleep(LOAD_MS)
  return stop()
}

/** Pauses after each step for as long as it took, like the sweep. */
async function removeAll(store: Store, teamId: string, before: number): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const stepAt = performance.now()
    const positions = await store.expiredPositions(teamId, { before, limit: ROWS_PER_REMOVAL })
    if (positions.length === 0) return (performance.now() - startedAt) / 1000
    await store.removeMessages(teamId, positions, Date.now())
    await sleep(performance.now() - stepAt)
  }
}

async function megabytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `select pg_total_relation_size('messages') + pg_total_relation_size('message_contents') as bytes`,
  )
  return Number(rows[0]!.bytes) / 1e6
}
