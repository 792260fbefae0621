import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { SIGNED_TOGETHER, SLOTS, type Need } from '../domain/signature.ts'
import type { Database } from './database.ts'
import { addToBits, BITS, emptyBits, messagesPerStep, type BlockBits, type BlockRange } from './text-block.ts'

/** 1.5 MB each. */
export const BLOCKS_MAX = 16

/** All of these positions are assigned. `resets`: how often the index of the team was reset. */
export type Tail = { teamId: string; resets: number; first: number; last: number }

/**
 * Signatures of the messages that are not indexed yet. A search would otherwise read all of these messages, and the next
 * search read them again.
 */
export type TextTail = {
  /** The positions of the tail that may match, in order. */
  candidatesIn(tail: Tail, needs: Need[]): Promise<number[]>
}

/** The positions before `end` are signed. */
type TailBlock = BlockRange & { resets: number; bits: BlockBits; end: number; signing: Promise<void> | null }

export function createTextTail(database: Database, blockSize: number): TextTail {
  const step = messagesPerStep(database)
  const blocks = new Map<string, TailBlock>()

  /** The one that was not used for the longest time makes room. */
  function blockAt(first: number, { teamId, resets }: Tail): TailBlock {
    const key = `${teamId} ${first}`
    const known = blocks.get(key)
    blocks.delete(key)
    const range = { teamId, first, size: blockSize }
    const block =
      known?.resets === resets ? known : { ...range, resets, bits: emptyBits(range), end: first, signing: null }
    blocks.set(key, block)
    if (blocks.size > BLOCKS_MAX) blocks.delete(blocks.keys().next().value!)
    return block
  }

  /** Searches that start at once share the work. */
  async function signUpTo(end: number, block: TailBlock): Promise<void> {
    while (block.end < end) {
      block.signing ??= signStep(block, Math.min(block.end + step, end)).finally(() => {
        block.signing = null
      })
      await block.signing
    }
  }

  function signStep(block: TailBlock, before: number): Promise<void> {
    return database.runStep(block.teamId, async () => {
      await addToBits(database, block, block.bits, { from: block.end, before })
      block.end = before
      await yieldToEventLoop()
    })
  }

  return {
    async candidatesIn(tail, needs) {
      const positions: number[] = []
      for (let start = tail.first - (tail.first % blockSize); start <= tail.last; start += blockSize) {
        const block = blockAt(start, tail)
        await signUpTo(Math.min(tail.last + 1, start + blockSize), block)
        for (const place of placesMeeting(needs, block.bits)) positions.push(start + place)
      }
      return positions.filter((position) => position >= tail.first && position <= tail.last)
    },
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
