import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Header } from '@mailhatch/sdk'
import {
  BITS,
  sign,
  SIGNED_BYTES_MAX,
  SIGNED_TOGETHER,
  SLOTS,
  type Signable,
  type Signatures,
} from '../domain/signature.ts'
import { required, type Database, type Dialect, type Write } from './database.ts'
import { BODY_FOLDED } from './message-query.ts'
import { sql, type Sql } from './sql.ts'
import { slicesOf } from './text-slice.ts'

/**
 * Positions of a team that are indexed together. Smaller blocks mean more lookups per search, larger ones a longer tail
 * whose signatures are only in memory. At most 65,536: see text-slice.ts.
 */
export const BLOCK_SIZE = 2_048

/** How far a team's index reaches, and how often it was reset. */
export type IndexState = { lastPosition: number; indexedThrough: number; resets: number }

export async function readIndexState({ read }: Database, teamId: string): Promise<IndexState | null> {
  const [state] = await read<IndexState>(sql`
    select last_position as "lastPosition", indexed_through as "indexedThrough", index_resets as resets
    from team_state where team_id = ${teamId}`)
  return state ?? null
}

/** A block being built: its signatures one after another. */
export type BlockBits = { signatures: Signatures; newest: number; oldest: number; count: number }

export type BlockRange = { teamId: string; first: number; size: number }

export function emptyBits({ size }: BlockRange): BlockBits {
  const signatures = new Uint16Array((SLOTS * size) / SIGNED_TOGETHER)
  return { signatures, newest: -Infinity, oldest: Infinity, count: 0 }
}

/** Read at a time: 0.1 ms for ordinary mail, and at most 4 ms for eight messages with 1 MB of HTML each. */
const MESSAGES_PER_STEP = 8
/** Every read is a round trip, but signing takes a millisecond. Longer texts are not read, so this is at most 8 MB. */
const MESSAGES_PER_STEP_ON_A_SERVER = 64

export function messagesPerStep({ blocksMainThread }: Database): number {
  return blocksMainThread ? MESSAGES_PER_STEP : MESSAGES_PER_STEP_ON_A_SERVER
}

/** After a longer message, yield: signing it takes as long as a step of ordinary mail. */
const SHORT_UNITS_MAX = 16_384

/** Adds the messages at these positions. Some may have been deleted. Served by the primary keys. */
export async function addToBits(
  { read }: Database,
  { teamId, first }: BlockRange,
  block: BlockBits,
  { from, before }: { from: number; before: number },
): Promise<void> {
  const rows = await read<SignableRow>(sql`
    select m.position, m.received_at as "receivedAt", m.mailbox_id as "mailboxId", m.subject_folded as "subjectFolded",
           m.sender_folded as "fromFolded", m.recipient_folded as "toFolded",
           m.mailbox_with_tag_folded as "mailboxWithTagFolded",
           case when coalesce(octet_length(c.body_folded), octet_length(c.text), 0) <= ${SIGNED_BYTES_MAX}
                then ${BODY_FOLDED} end as "bodyFolded",
           case when octet_length(c.headers) <= ${SIGNED_BYTES_MAX} then c.headers end as "headersJson"
    from messages m join message_contents c on c.team_id = m.team_id and c.position = m.position
    where m.team_id = ${teamId} and m.position >= ${from} and m.position < ${before}`)
  for (const row of rows) {
    const place = row.position - first
    const start = Math.floor(place / SIGNED_TOGETHER) * SLOTS
    const signatures = block.signatures.subarray(start, start + SLOTS)
    // Written by the store itself.
    const headers: Header[] | null = row.headersJson === null ? null : JSON.parse(row.headersJson)
    // Added to the row itself, because a copy would take nearly as long as signing it.
    sign(signatures, BITS[place % SIGNED_TOGETHER]!, Object.assign(row, { headers }))
    block.newest = Math.max(block.newest, row.receivedAt)
    block.oldest = Math.min(block.oldest, row.receivedAt)
    block.count++
    const units = (row.headersJson?.length ?? 0) + (row.bodyFolded?.length ?? 0)
    if (units > SHORT_UNITS_MAX) await yieldToEventLoop()
  }
}

type SignableRow = Omit<Signable, 'headers'> & { position: number; receivedAt: number; headersJson: string | null }

/** Writes nothing if the index has changed since the block was started. */
export function writeBlock(
  dialect: Dialect,
  { teamId, first, size }: BlockRange,
  { signatures, newest, oldest, count }: BlockBits,
  { indexedThrough, resets }: IndexState,
): Write[] {
  const proceed = required(sql`
    update team_state set indexed_through = ${first + size - 1}
    where team_id = ${teamId} and indexed_through = ${indexedThrough} and index_resets = ${resets}`)
  if (count === 0) return [proceed]
  const block = first / size
  const { slices, bytes } = slicesOf(signatures)
  return [
    proceed,
    sql`
      insert into index_blocks (team_id, block, newest_received_at, oldest_received_at)
      values (${teamId}, ${block}, ${newest}, ${oldest})
      on conflict (team_id, block) do update
      set newest_received_at = excluded.newest_received_at, oldest_received_at = excluded.oldest_received_at`,
    sql`delete from index_slices where team_id = ${teamId} and block = ${block}`,
    // All rows in one statement, which takes the writer thread about 20 ms.
    sql`
      insert into index_slices (team_id, block, slot, bits)
      select ${teamId}, ${block}, s.slot, s.bits
      from ${dialect.sliced(bytes, slices)} s`,
  ]
}

/** Resets the index for the mailbox's messages. Write it together with the change. */
export function forgetIndexOf(teamId: string, mailboxId: string): Sql {
  // Uses the remainder, because values are bound as floating-point numbers, whose division has a fraction.
  const before = sql`min(m.position) - min(m.position) % ${BLOCK_SIZE} - 1`
  return sql`
    update team_state
    set index_resets = index_resets + 1,
        indexed_through = (
          select case when ${before} < team_state.indexed_through then ${before} else team_state.indexed_through end
          from messages m where m.team_id = ${teamId} and m.mailbox_id = ${mailboxId})
    where team_id = ${teamId}`
}

/** Drops some blocks without messages. If it drops `limit` blocks, there may be more. */
export function dropEmptyBlocks(teamId: string, limit: number): Sql {
  return sql`
    delete from index_blocks
    where team_id = ${teamId}
      and block in (select b.block
                    from index_blocks b join team_state t on t.team_id = b.team_id
                    where b.team_id = ${teamId}
                      and (b.block + 1) * ${BLOCK_SIZE}
                          <= coalesce((select min(position) from messages where team_id = ${teamId}), t.last_position + 1)
                    limit ${limit})`
}
