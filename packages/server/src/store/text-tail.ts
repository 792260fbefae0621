import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { createKeyedSemaphore } from '../domain/semaphore.ts'
import { BITS, SIGNED_TOGETHER, SLOTS, type Need } from '../domain/signature.ts'
import type { Database } from './database.ts'
import { addToBits, emptyBits, messagesPerStep, type BlockBits, type BlockRange } from './text-block.ts'

/** Kept for later searches, 1.5 MB each. */
export const BLOCKS_MAX = 16
/** Searches that sign messages at a time, each of another team. */
const SIGNING_AT_ONCE_MAX = 4
/**
 * Signed again after this time. A position belongs to one message for good, except after a failover to a standby that lacks the
 * last commits: then searches could miss a new message for this long.
 */
export const KEPT_MS = 60_000

/** All of these positions are assigned. `resets`: how often the index of the team was reset. */
export type Tail = { teamId: string; resets: number; first: number; last: number }

/**
 * Signatures of the messages that are not indexed yet. A search would otherwise read all of these messages, and the next
 * search read them again.
 */
export type TextTail = {
  /** The positions of the tail that may match, in order. `proceed` is called before each step, and throws to cancel the search. */
  findCandidates(tail: Tail, needs: Need[], proceed?: () => void): Promise<number[]>
}

/** The positions before `end` are signed. */
type TailBlock = BlockRange & { resets: number; bits: BlockBits; end: number; createdAt: number }

export function createTextTail(database: Database, blockSize: number, now = () => performance.now()): TextTail {
  const step = messagesPerStep(database)
  const oneAtATime = createKeyedSemaphore(SIGNING_AT_ONCE_MAX)
  const blocks = new Map<string, TailBlock>()

  /** The one that was not used for the longest time makes room. */
  function blockAt(first: number, { teamId, resets }: Tail): TailBlock {
    const key = `${teamId} ${first}`
    const known = blocks.get(key)
    const isCurrent = known?.resets === resets && now() - known.createdAt < KEPT_MS
    const block = isCurrent ? known : newBlock({ teamId, first, size: blockSize }, resets)
    blocks.delete(key)
    blocks.set(key, block)
    if (blocks.size > BLOCKS_MAX) blocks.delete(blocks.keys().next().value!)
    return block
  }

  function newBlock(range: BlockRange, resets: number): TailBlock {
    return { ...range, resets, bits: emptyBits(range), end: range.first, createdAt: now() }
  }

  async function signUpTo(end: number, block: TailBlock, proceed: () => void): Promise<void> {
    while (block.end < end) {
      proceed()
      const before = Math.min(block.end + step, end)
      await database.runStep(block.teamId, () => addToBits(database, block, block.bits, { from: block.end, before }))
      block.end = before
      await yieldToEventLoop()
    }
  }

  return {
    findCandidates: (tail, needs, proceed = () => {}) =>
      oneAtATime(tail.teamId, async () => {
        const positions: number[] = []
        for (let first = tail.first - (tail.first % blockSize); first <= tail.last; first += blockSize) {
          const block = blockAt(first, tail)
          await signUpTo(Math.min(tail.last + 1, first + blockSize), block, proceed)
          for (const place of placesMeeting(needs, block.bits)) positions.push(first + place)
        }
        return positions.filter((position) => position >= tail.first && position <= tail.last)
      }),
  }
}

/** The places of a block whose signatures meet all needs. */
function placesMeeting(needs: Need[], { signatures }: BlockBits): number[] {
  const places: number[] = []
  for (let start = 0; start < signatures.length; start += SLOTS) {
    let left = ALL
    for (const need of needs) {
      let some = 0
      for (const slots of need) some |= slots.reduce((bits, slot) => bits & signatures[start + slot]!, left)
      left = some
    }
    if (left === 0) continue
    const firstPlace = (start / SLOTS) * SIGNED_TOGETHER
    for (let index = 0; index < SIGNED_TOGETHER; index++) if (left & BITS[index]!) places.push(firstPlace + index)
  }
  return places
}

const ALL = 2 ** SIGNED_TOGETHER - 1
