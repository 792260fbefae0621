import { mailboxNeed, needsOf, type Need } from '../domain/signature.ts'
import type { Database } from './database.ts'
import { createPage, type PageSearch, type ResultPage } from './message-page.ts'
import { isFoundByTag, type Wanted } from './message-query.ts'
import { sql } from './sql.ts'
import type { ListAnchor, View } from './messages.ts'
import { readIndexState } from './text-block.ts'
import { candidatesIn, positionsOf } from './text-candidates.ts'
import type { TextTail } from './text-tail.ts'

/** A mailbox with fewer messages is walked faster than its team's index is searched. */
const SMALL_MAILBOX_BLOCKS = 1
/** With more unindexed messages, walking from the newest finds a frequent text sooner. */
const LONG_TAIL_BLOCKS = 4
/** Candidates collected from several blocks before they are checked. */
const CANDIDATES_PER_CHECK = 128
/** A frequent text fills its page from the first block. For a rare one, reading many blocks at a time is cheaper. */
const BLOCKS_PER_READ = [1, 4, 16, 64]
/** Every read is a round trip. The largest returns 256 kB. */
const BLOCKS_PER_READ_ON_A_SERVER = [4, 32, 256]

/** Where to search: `after` and `upTo` are positions. Blocks exist up to `indexedThrough`. */
type SearchRange = { after: number; upTo: number; indexedThrough: number; resets: number; blockSize: number }

export type SearchIndex = { blockSize: number; tail: TextTail }

/**
 * Returns exactly what one query would return, using the text index. Null if the index is not the best access path.
 * Signatures only propose candidates: the view's conditions decide.
 */
export async function searchText<Row extends ListAnchor>(
  database: Database,
  search: PageSearch<Row>,
  { blockSize, tail }: SearchIndex,
): Promise<Row[] | null> {
  const { view, wanted } = search
  const needs = isFoundByTag(view.filter) ? [] : needsOf(view.filter)
  // Blocks have no order from the last position on.
  if (needs.length === 0 || wanted.order === 'last position first') return null
  const range = await findRange(database, view.teamId, wanted, blockSize)
  if (!range) return null
  const mailbox = await findMailbox(database, view, blockSize)
  if (mailbox === 'small') return null
  if (mailbox !== 'any') needs.push(mailboxNeed(mailbox.id))

  const page = createPage(database, search)
  const blocks = await readBlocks(database, view, wanted, range)
  const searchTail = async () => {
    const first = Math.max(range.after, range.indexedThrough) + 1
    const { resets, upTo: last } = range
    const positions = await tail.findCandidates({ teamId: view.teamId, resets, first, last }, needs, view.proceed)
    await page.check(positions, () => page.isFull(Infinity))
  }
  // Unindexed messages can have any time, so by time they are searched first. By position they come last.
  if (wanted.order === 'newest first') await searchTail()
  await searchBlocks(database, page, { teamId: view.teamId, blocks, needs, blockSize })
  if (wanted.order === 'by position') await searchTail()
  return page.rows()
}

/** Null if hardly more than one block of the range is indexed, or if much of it is not indexed yet. */
async function findRange(
  database: Database,
  teamId: string,
  { after, upTo }: Wanted,
  blockSize: number,
): Promise<SearchRange | null> {
  const state = await readIndexState(database, teamId)
  if (!state) return null
  const { lastPosition, indexedThrough, resets } = state
  const range = { after: after ?? 0, upTo: Math.min(upTo ?? Infinity, lastPosition), indexedThrough, resets, blockSize }
  if (range.upTo - Math.max(range.after, range.indexedThrough) > LONG_TAIL_BLOCKS * blockSize) return null
  return Math.min(range.upTo, range.indexedThrough) - range.after <= blockSize / 2 ? null : range
}

async function findMailbox(
  { read }: Database,
  { teamId, filter: { mailbox, mailboxId } }: View,
  blockSize: number,
): Promise<{ id: string } | 'any' | 'small'> {
  const enough = SMALL_MAILBOX_BLOCKS * blockSize
  if (mailboxId === undefined && !mailbox) return 'any'
  const which = mailboxId === undefined ? sql`b.name = ${mailbox!.name}` : sql`b.id = ${mailboxId}`
  const [found] = await read<{ id: string; count: number }>(sql`
    select b.id, (select count(*)
                  from (select 1 from messages where team_id = ${teamId} and mailbox_id = b.id limit ${enough}) counted) as count
    from mailboxes b where b.team_id = ${teamId} and ${which}`)
  return !found || found.count < enough ? 'small' : found
}

type Block = { block: number; first: number; newest: number }

/** In search order, without blocks outside the range. */
async function readBlocks(
  { read }: Database,
  { teamId, oldestReceivedAt, filter }: View,
  { order, before }: Wanted,
  { after, upTo, indexedThrough, blockSize }: SearchRange,
): Promise<Block[]> {
  const oldest = Math.max(oldestReceivedAt, filter.start ?? -Infinity, filter.since ?? -Infinity)
  const newest = Math.min(before?.receivedAt ?? Infinity, (filter.end ?? Infinity) - 1)
  return read<Block>(sql`
    select block, block * ${blockSize} as first, newest_received_at as newest
    from index_blocks
    where team_id = ${teamId} and block < ${Math.floor((indexedThrough + 1) / blockSize)}
      and block >= ${Math.floor((after + 1) / blockSize)} and block <= ${Math.floor(upTo / blockSize)}
      and newest_received_at >= ${oldest} and oldest_received_at <= ${Math.min(newest, Number.MAX_SAFE_INTEGER)}
    order by ${order === 'newest first' ? sql`newest_received_at desc` : sql`block`}`)
}

async function searchBlocks<Row>(
  database: Database,
  page: ResultPage<Row>,
  { teamId, blocks, needs, blockSize }: { teamId: string; blocks: Block[]; needs: Need[]; blockSize: number },
): Promise<void> {
  const perRead = database.blocksMainThread ? BLOCKS_PER_READ : BLOCKS_PER_READ_ON_A_SERVER
  let start = 0
  for (let reads = 0; start < blocks.length && !page.isFull(blocks[start]!.newest); reads++) {
    const some = blocks.slice(start, start + (perRead[reads] ?? perRead.at(-1)!))
    start += some.length
    const searched = { teamId, blocks: some.map(({ block }) => block) }
    const candidates = await candidatesIn(database, searched, { needs, sliceBytes: blockSize / 8 })
    let positions: number[] = []
    for (const { block, first, newest } of some) {
      if (page.isFull(newest)) break
      positions.push(...positionsOf(candidates.get(block), first))
      if (positions.length < CANDIDATES_PER_CHECK) continue
      await page.check(positions, () => page.isFull(Infinity))
      positions = []
    }
    await page.check(positions, () => page.isFull(Infinity))
  }
}
