import { setImmediate as turnOfOthers } from 'node:timers/promises'
import { mailboxNeed, needsOf, type Need } from '../domain/signature.ts'
import type { Database } from './database.ts'
import { isFoundByTag, queryFor, type Wanted } from './message-query.ts'
import { sql, type Sql } from './sql.ts'
import type { Anchor, View } from './store.ts'
import { readIndexState } from './text-block.ts'
import { candidatesIn, positionsOf } from './text-candidates.ts'

/** A mailbox with fewer messages than these is walked through sooner than the index of its team. */
const SMALL_MAILBOX_BLOCKS = 1
/** More than this is left to one query, which holds up others but can stop at the first matches. */
const LONG_TAIL_BLOCKS = 4
/** Messages that one query looks at: about a millisecond, after which it is the turn of others. */
const MESSAGES_PER_READ = 128
/** A frequent text fills its page in the first block; for a rare one, many blocks at a time cost less. */
const BLOCKS_PER_READ = [1, 4, 16, 64]

/** Where to look: `after` and `upTo` are positions; below `indexedThrough` there are blocks. */
type Span = { after: number; upTo: number; indexedThrough: number; blockSize: number }

type Search<Row> = {
  view: View
  wanted: Wanted
  blockSize: number
  /** Runs a query that is given from its `where` on. */
  select: (rest: Sql) => Promise<Row[]>
}

/**
 * What is wanted, exactly as one query would give it, by way of the text index; null when the index is not the best
 * way in. Signatures only propose messages: the view's conditions decide.
 */
export async function searchText<Row extends Anchor>(database: Database, search: Search<Row>): Promise<Row[] | null> {
  const { view, wanted, blockSize } = search
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

/** Null where nothing, or hardly more than one block, is indexed of what is asked for. */
async function findSpan(
  database: Database,
  teamId: string,
  { after, upTo }: Wanted,
  blockSize: number,
): Promise<Span | null> {
  const state = await readIndexState(database, teamId)
  if (!state) return null
  const span = { after: after ?? 0, upTo: upTo ?? state.lastPosition, indexedThrough: state.indexedThrough, blockSize }
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

type Page<Row> = {
  rows: () => Row[]
  /** True when nothing that is left to look at can belong to the page; `newest` bounds the time of what is left. */
  isFull(newest: number): boolean
  look(within: Sql, walk: number | null): Promise<void>
  lookAt(positions: number[]): Promise<void>
}

/** Gathers the first rows in the wanted order from wherever they are found. */
function createPage<Row extends Anchor>({ dialect }: Database, { view, wanted, select }: Search<Row>): Page<Row> {
  const { order, limit } = wanted
  let rows: Row[] = []

  const page: Page<Row> = {
    rows: () => rows,
    // By position, what is left comes later in any case; by time, an equal one might come first.
    isFull: (newest) => rows.length === limit && (order === 'by position' || rows.at(-1)!.receivedAt > newest),
    async look(within, walk) {
      const found = await select(queryFor(dialect, view, wanted, { walk, within }))
      rows = [...rows, ...found].sort(order === 'newest first' ? newestFirst : byPosition).slice(0, limit)
      await turnOfOthers()
    },
    async lookAt(positions) {
      for (let start = 0; start < positions.length && !page.isFull(Infinity); start += MESSAGES_PER_READ) {
        const some = positions.slice(start, start + MESSAGES_PER_READ)
        await page.look(dialect.isAmong(sql`m.position`, some), some.length)
      }
    },
  }
  return page
}

/** What is not indexed yet; while an index is being built that may be much, and is left to one query. */
async function searchTail<Row>(page: Page<Row>, span: Span): Promise<void> {
  const { after, upTo, indexedThrough, blockSize } = span
  const first = Math.max(after, indexedThrough) + 1
  const length = upTo - first + 1
  const isLong = length > LONG_TAIL_BLOCKS * blockSize
  const step = isLong ? length : MESSAGES_PER_READ
  for (let from = first; from <= upTo && !page.isFull(Infinity); from += step) {
    const to = Math.min(from + step - 1, upTo)
    await page.look(sql`m.position >= ${from} and m.position <= ${to}`, isLong ? null : step)
  }
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
      if (positions.length < MESSAGES_PER_READ) continue
      await page.lookAt(positions)
      positions = []
    }
    await page.lookAt(positions)
  }
}

function newestFirst(a: Anchor, b: Anchor): number {
  return b.receivedAt - a.receivedAt || b.position - a.position
}

function byPosition(a: Anchor, b: Anchor): number {
  return a.position - b.position
}
