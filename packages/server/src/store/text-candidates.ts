import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Need } from '../domain/signature.ts'
import type { Database } from './database.ts'
import { sql } from './sql.ts'
import { placeOf } from './text-block.ts'

/** Looked up at a time: after so many, most blocks without a match are already known to have none. */
const SLOTS_PER_READ = 4

type Bits = Uint8Array

/** For each block a bit for each position that may hold what is needed; blocks that cannot are left out. */
export async function candidatesIn(
  database: Database,
  blockIds: number[],
  { needs, sliceBytes }: { needs: Need[]; sliceBytes: number },
): Promise<Map<number, Bits>> {
  let candidates = new Map<number, Bits>(blockIds.map((id) => [id, new Uint8Array(sliceBytes).fill(0xff)]))
  for (const need of needs) {
    const found = new Map<number, Bits>()
    for (const slots of need) unite(found, await withAllSlots(database, candidates, slots))
    candidates = found
  }
  return candidates
}

/** Those of the candidates that have all slots, a few slots at a time. */
async function withAllSlots(
  { dialect, read }: Database,
  candidates: Map<number, Bits>,
  slots: number[],
): Promise<Map<number, Bits>> {
  let left = candidates
  for (let start = 0; start < slots.length && left.size > 0; start += SLOTS_PER_READ) {
    const chosen = slots.slice(start, start + SLOTS_PER_READ)
    const places = Array.from(left.keys()).flatMap((id) => chosen.map((slot) => placeOf(id, slot)))
    const rows = await read<{ place: number; bits: Bits }>(
      sql`select place, bits from text_slices where ${dialect.isAmong(sql`place`, places)}`,
    )
    const slices = new Map(rows.map(({ place, bits }) => [place, bits]))
    const next = new Map<number, Bits>()
    for (const [id, bits] of left) {
      const both = intersection(
        bits,
        chosen.map((slot) => slices.get(placeOf(id, slot))),
      )
      if (both) next.set(id, both)
    }
    left = next
    await yieldToEventLoop()
  }
  return left
}

/** Null when nothing is left. A slice that is missing has no bit set. */
function intersection(bits: Bits, slices: (Bits | undefined)[]): Bits | null {
  const all = bits.slice()
  let left = 0
  for (const slice of slices) {
    if (!slice) return null
    left = 0
    for (let index = 0; index < all.length; index++) left |= all[index]! &= slice[index]!
  }
  return left === 0 ? null : all
}

function unite(into: Map<number, Bits>, more: Map<number, Bits>): void {
  for (const [id, bits] of more) {
    const known = into.get(id)
    if (known) for (let index = 0; index < known.length; index++) known[index]! |= bits[index]!
    else into.set(id, bits)
  }
}

export function positionsOf(bits: Bits | undefined, first: number): number[] {
  const positions: number[] = []
  bits?.forEach((byte, index) => {
    for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) positions.push(first + index * 8 + bit)
  })
  return positions
}
