import type { Header } from '@mailhatch/sdk'
import { noSignatures, sign, SIGNED_BYTES_MAX, SLOTS, type Signable } from '../domain/signature.ts'
import { required, type Database, type Dialect, type Required } from './database.ts'
import { BODY_FOLDED } from './message-query.ts'
import { sql, type Sql } from './sql.ts'

/**
 * Positions of a team that are indexed together. Fewer would mean more lookups in a search, more a longer tail that is
 * searched without the index.
 */
export const BLOCK_SIZE = 2_048

/** The numbers that the slots of one block may have in `text_slices`. */
const PLACES_PER_BLOCK = 8_192

/** How far a team's index goes, and how often that was set back. */
export type IndexState = { lastPosition: number; indexedThrough: number; resets: number }

export async function readIndexState({ read }: Database, teamId: string): Promise<IndexState | null> {
  const [state] = await read<IndexState>(sql`
    select last_position as "lastPosition", indexed_through as "indexedThrough", index_resets as resets
    from teams where id = ${teamId}`)
  return state ?? null
}

/** The place of a block's slice. */
export function placeOf(blockId: number, slot: number): number {
  return blockId * PLACES_PER_BLOCK + slot
}

/** A block while it is being built: for each slot a bit for each of its messages. */
export type BlockBits = { bits: Uint8Array; newest: number; oldest: number; count: number }

export type BlockRange = { teamId: string; first: number; size: number }

export function emptyBits({ size }: BlockRange): BlockBits {
  return { bits: new Uint8Array((SLOTS * size) / 8), newest: -Infinity, oldest: Infinity, count: 0 }
}

/** Read at a time: their bits are one byte of each slice. A fifth of a millisecond of ordinary mail, 5 ms at worst. */
export const MESSAGES_PER_STEP = 8

/** Adds the messages from this position on, some of which may have gone. Served by messages_by_position. */
export async function addToBits(
  { read }: Database,
  { teamId, first, size }: BlockRange,
  block: BlockBits,
  from: number,
): Promise<void> {
  const rows = await read<SignableRow>(sql`
    select m.position, m.received_at as "receivedAt", m.mailbox_id as "mailboxId", m.subject_folded as "subjectFolded",
           m.sender_folded as "fromFolded", m.recipient_folded as "toFolded",
           m.mailbox_with_tag_folded as "mailboxWithTagFolded",
           case when octet_length(coalesce(c.body_folded, c.text, '')) <= ${SIGNED_BYTES_MAX}
                then ${BODY_FOLDED} end as "bodyFolded",
           case when octet_length(c.headers) <= ${SIGNED_BYTES_MAX} then c.headers end as headers
    from messages m join message_contents c on c.sequence = m.sequence
    where m.team_id = ${teamId} and m.position >= ${from} and m.position < ${from + MESSAGES_PER_STEP}`)
  const signatures = noSignatures()
  for (const row of rows) {
    const headers = row.headers === null ? null : (JSON.parse(row.headers) as Header[])
    sign(signatures, 1 << (row.position - from), { ...row, headers })
    block.newest = Math.max(block.newest, row.receivedAt)
    block.oldest = Math.min(block.oldest, row.receivedAt)
    block.count++
  }
  const [byte, sliceBytes] = [(from - first) / 8, size / 8]
  for (let slot = 0; slot < SLOTS; slot++) block.bits[slot * sliceBytes + byte] = signatures[slot]!
}

type SignableRow = Omit<Signable, 'headers'> & { position: number; receivedAt: number; headers: string | null }

/** Nothing is written when the index is no longer as it was when the block was begun. */
export function writeBlock(
  dialect: Dialect,
  { teamId, first, size }: BlockRange,
  { bits, newest, oldest, count }: BlockBits,
  { indexedThrough, resets }: IndexState,
): (Sql | Required)[] {
  const proceed = required(sql`
    update teams set indexed_through = ${first + size - 1}
    where id = ${teamId} and indexed_through = ${indexedThrough} and index_resets = ${resets}`)
  if (count === 0) return [proceed]
  const block = first / size
  const blockId = sql`(select id from text_blocks where team_id = ${teamId} and block = ${block})`
  const { slots, slices } = slicesOf(bits, size / 8)
  return [
    proceed,
    // The id stays, so that a search in progress finds the one or the other, but never nothing.
    sql`
      insert into text_blocks (team_id, block, newest_received_at, oldest_received_at)
      values (${teamId}, ${block}, ${newest}, ${oldest})
      on conflict (team_id, block) do update
      set newest_received_at = excluded.newest_received_at, oldest_received_at = excluded.oldest_received_at`,
    sql`
      delete from text_slices
      where place >= ${blockId} * ${PLACES_PER_BLOCK} and place < (${blockId} + 1) * ${PLACES_PER_BLOCK}`,
    // All rows by one statement: 6 ms of the writing thread for 6,000.
    sql`
      insert into text_slices (place, bits)
      select b.id * ${PLACES_PER_BLOCK} + n.value, n.piece
      from text_blocks b cross join ${dialect.sliced(slices, { size: size / 8, numbers: slots })} n
      where b.team_id = ${teamId} and b.block = ${block}`,
  ]
}

/** The slots that any message of the block has, and their slices one after another. */
function slicesOf(bits: Uint8Array, sliceBytes: number): { slots: number[]; slices: Uint8Array } {
  const slots: number[] = []
  for (let slot = 0; slot < SLOTS; slot++) {
    const start = slot * sliceBytes
    let byte = start
    while (byte < start + sliceBytes && bits[byte] === 0) byte++
    if (byte === start + sliceBytes) continue
    bits.copyWithin(slots.length * sliceBytes, start, start + sliceBytes)
    slots.push(slot)
  }
  return { slots, slices: bits.subarray(0, slots.length * sliceBytes) }
}

/** What is indexed of the mailbox's messages has changed: to be written together with the change. */
export function forgetIndexOf(teamId: string, mailboxId: string): Sql {
  // By remainder, because values are bound as floating-point numbers, which divide with a fraction.
  const before = sql`min(m.position) - min(m.position) % ${BLOCK_SIZE} - 1`
  return sql`
    update teams
    set index_resets = index_resets + 1,
        indexed_through = (
          select case when ${before} < teams.indexed_through then ${before} else teams.indexed_through end
          from messages m where m.mailbox_id = ${mailboxId})
    where id = ${teamId}`
}

/** Drops some blocks of which no message is left; when it drops as many as `limit`, there may be more. */
export function dropEmptyBlocks(teamId: string, limit: number): Sql {
  return sql`
    delete from text_blocks
    where id in (select b.id
                 from text_blocks b join teams t on t.id = b.team_id
                 where b.team_id = ${teamId}
                   and (b.block + 1) * ${BLOCK_SIZE} <= coalesce((select min(position) from messages where team_id = ${teamId}),
                                                                 t.last_position + 1)
                 limit ${limit})`
}
