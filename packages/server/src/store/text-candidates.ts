import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Need } from '../domain/signature.ts'
import type { Database } from './database.ts'
import { sql } from './sql.ts'
import { keepThoseIn, type Bits } from './text-slice.ts'

/** Read at a time: after this many, most blocks without a match are already ruled out. */
const SLOTS_PER_READ = 4
/** Every read is a round trip. From few blocks, more slots are read at once: as many slices as this, 256 kB. */
const SLICES_PER_READ_ON_A_SERVER = 1_024

/** For each block, a bit per position that may match. Blocks that cannot match are left out. */
export async function candidatesIn(
  database: Database,
  { teamId, blocks }: { teamId: string; blocks: number[] },
  { needs, sliceBytes }: { needs: Need[]; sliceBytes: number },
): Promise<Map<number, Bits>> {
  let candidates = new Map<number, Bits>(blocks.map((block) => [block, new Uint8Array(sliceBytes).fill(0xff)]))
  for (const need of needs) {
    const found = new Map<number, Bits>()
    for (const slots of need) unite(found, await withAllSlots(database, teamId, candidates, slots))
    candidates = found
  }
  return candidates
}

/** The candidates that have all slots, read a few slots at a time. */
async function withAllSlots(
  { dialect, read, blocksMainThread }: Database,
  teamId: string,
  candidates: Map<number, Bits>,
  slots: number[],
): Promise<Map<number, Bits>> {
  let left = candidates
  for (let start = 0; start < slots.length && left.size > 0;) {
    const fitting = blocksMainThread ? 0 : Math.floor(SLICES_PER_READ_ON_A_SERVER / left.size)
    const chosen = slots.slice(start, start + Math.max(SLOTS_PER_READ, fitting))
    start += chosen.length
    const rows = await read<{ block: number; slot: number; bits: Uint8Array }>(sql`
      select block, slot, bits from index_slices
      where team_id = ${teamId} and ${dialect.isAmong(sql`block`, Array.from(left.keys()))}
        and ${dialect.isAmong(sql`slot`, chosen)}`)
    const slices = new Map(rows.map(({ block, slot, bits }) => [`${block} ${slot}`, bits]))
    const next = new Map<number, Bits>()
    for (const [block, bits] of left) {
      const both = intersection(
        bits,
        chosen.map((slot) => slices.get(`${block} ${slot}`)),
      )
      if (both) next.set(block, both)
    }
    left = next
    await yieldToEventLoop()
  }
  return left
}

/** Null if no bit is left. A missing slice has no bit set. */
function intersection(bits: Bits, slices: (Uint8Array | undefined)[]): Bits | null {
  const all = bits.slice()
  return slices.every((slice) => slice && keepThoseIn(slice, all)) ? all : null
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
