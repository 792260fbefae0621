import { mailboxNeed, needsOf, type Need } from '../domain/signature.ts'
import type { Database } from './database.ts'
import { createPage, type Page, type Search } from './message-page.ts'
import { isFoundByTag, type Wanted } from './message-query.ts'
import { sql } from './sql.ts'
import type { ListAnchor, View } from './store.ts'
import { readIndexState } from './text-block.ts'
import { candidatesIn, positionsOf } from './text-candidates.ts'

/** A mailbox with fewer messages than these is walked through sooner than the index of its team. */
const SMALL_MAILBOX_BLOCKS = 1
/** With more than this still to be indexed, walking from the newest on finds a frequent text sooner. */
const LONG_TAIL_BLOCKS = 4
/** Candidates that are gathered from several blocks before they are looked at. */
const GATHERED = 128
/** A frequent text fills its page in the first block; for a rare one, many blocks at a time cost less. */
const BLOCKS_PER_READ = [1, 4, 16, 64]

/** Where to look: `after` and `upTo` are positions; below `indexedThrough` there are blocks. */
type Span = { after: number; upTo: number; indexedThrough: number; blockSize: number }

/**
 * What is wanted, exactly as one query would give it, by way of the text index; null when the index is not the best
 * way in. Signatures only propose messages: the view's conditions decide.
 */
export async function searchText<Row extends ListAnchor>(
  database: Database,
  search: Search<Row>,
  blockSize: number,
): Promise<Row[] | null> {
  const { view, wanted } = search
  const needs = isFoundByTag(view.filter) ? [] : needsOf(view.filter)
  if (needs.length === 0) return null
  const span = await findSpan(database, view.teamId, wanted, blockSize)
  if (!span) return null
  const mailbox = await findMailbox(database, view, blockSize)
  if (mailbox === 'small') return null
  if (mailbox !== 'any') needs.push(mailboxNeed(mailbox.id))

  const page = createPage(database, search)
  const blocks = await readBlocks(database, view, wanted, span)
  // What is not in blocks yet may be of any time, so it comes first, or else last because its positions do.
  if (wanted.order === 'newest first') await searchTail(page, span)
  await searchBlocks(database, page, { blocks, needs, blockSize })
  if (wanted.order === 'by position') await searchTail(page, span)
  return page.rows()
}

/** Null where nothing, or hardly more than one block, is indexed of what is asked for, or much is not indexed yet. */
async function findSpan(
  database: Database,
  teamId: string,
  { after, upTo }: Wanted,
  blockSize: number,
): Promise<Span | null> {
  const state = await readIndexState(database, teamId)
  if (!state) return null
  const span = { after: after ?? 0, upTo: upTo ?? state.lastPosition, indexedThrough: state.indexedThrough, blockSize }
  if (span.upTo - Math.max(span.after, span.indexedThrough) > LONG_TAIL_BLOCKS * blockSize) return null
  return Math.min(span.upTo, span.indexedThrough) - span.after <= blockSize / 2 ? null : span
}

async function findMailbox(
  { read }: Database,
  { teamId, filter: { mailbox, mailboxId } }: View,
  blockSize: number,
): Promise<{ id: string } | 'any' | 'small'> {
  const enough = SMALL_MAILBOX_BLOCKS * blockSize
  if (mailboxId === undefined && !mailbox) return 'any'
  const which =
    mailboxId === undefined ? sql`b.team_id = ${teamId} and b.name = ${mailbox!.name}` : sql`b.id = ${mailboxId}`
  const [found] = await read<{ id: string; count: number }>(sql`
    select b.id, (select count(*)
                  from (select 1 from messages where mailbox_id = b.id limit ${enough}) counted) as count
    from mailboxes b where ${which}`)
  return !found || found.count < enough ? 'small' : found
}

type Block = { id: number; first: number; newest: number }

/** In the order in which they are searched, without those that lie outside of what is asked for. */
async function readBlocks(
  { read }: Database,
  { teamId, oldestReceivedAt, filter }: View,
  { order, before }: Wanted,
  { after, upTo, indexedThrough, blockSize }: Span,
): Promise<Block[]> {
  const oldest = Math.max(oldestReceivedAt, filter.start ?? -Infinity, filter.since ?? -Infinity)
  const newest = Math.min(before?.receivedAt ?? Infinity, (filter.end ?? Infinity) - 1)
  return read<Block>(sql`
    select id, block * ${blockSize} as first, newest_received_at as newest
    from text_blocks
    where team_id = ${teamId} and block < ${Math.floor((indexedThrough + 1) / blockSize)}
      and block >= ${Math.floor((after + 1) / blockSize)} and block <= ${Math.floor(upTo / blockSize)}
      and newest_received_at >= ${oldest} and oldest_received_at <= ${Math.min(newest, Number.MAX_SAFE_INTEGER)}
    order by ${order === 'newest first' ? sql`newest_received_at desc` : sql`block`}`)
}

/** What is not indexed yet, which is little. */
async function searchTail<Row>(page: Page<Row>, { after, upTo, indexedThrough }: Span): Promise<void> {
  const first = Math.max(after, indexedThrough) + 1
  const positions = Array.from({ length: Math.max(0, upTo - first + 1) }, (_, index) => first + index)
  await page.lookAt(positions, () => page.isFull(Infinity))
}

async function searchBlocks<Row>(
  database: Database,
  page: Page<Row>,
  { blocks, needs, blockSize }: { blocks: Block[]; needs: Need[]; blockSize: number },
): Promise<void> {
  let start = 0
  for (let reads = 0; start < blocks.length && !page.isFull(blocks[start]!.newest); reads++) {
    const some = blocks.slice(start, start + (BLOCKS_PER_READ[reads] ?? BLOCKS_PER_READ.at(-1)!))
    start += some.length
    const ids = some.map(({ id }) => id)
    const candidates = await candidatesIn(database, ids, { needs, sliceBytes: blockSize / 8 })
    let positions: number[] = []
    for (const { id, first, newest } of some) {
      if (page.isFull(newest)) break
      positions.push(...positionsOf(candidates.get(id), first))
      if (positions.length < GATHERED) continue
      await page.lookAt(positions, () => page.isFull(Infinity))
      positions = []
    }
    await page.lookAt(positions, () => page.isFull(Infinity))
  }
}
