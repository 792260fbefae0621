import { digestsOf, findDifferences, type Digest } from './copy-comparison.ts'
import { countAfter, lastKey, putRows, readPieces } from './copy-rows.ts'
import { KEYS, PARTS, type CopiedPart } from './copy-tables.ts'
import type { Database } from './database.ts'
import { sql, type Sql } from './sql.ts'

/** The target is PostgreSQL; nobody else writes to either while they are copied. */
export type CopyEnds = { source: Database; target: Database }

export type Progress = { doing: 'copying' | 'comparing'; part: string; done: number; total: number }

export type CopyResult = { copied: Record<string, number>; digests: Digest[] }

/**
 * Copies all that a store holds, in transactions of bounded size, and compares both sides. What an earlier run has
 * copied is left as it is. Keys come last: a target that has some is whole, and perhaps in use, so it is only compared.
 */
export async function copyStore(ends: CopyEnds, onProgress: (progress: Progress) => void): Promise<CopyResult> {
  await refuseStrangers(ends)
  const copied: Record<string, number> = {}
  const isWhole = (await lastKey(ends.target, KEYS)) !== KEYS.lowest
  if (isWhole) return { copied, digests: await compare(ends, [...PARTS, KEYS], onProgress) }

  for (const part of PARTS) copied[part.name] = await copyPart(ends, part, onProgress)
  const digests = await compare(ends, PARTS, onProgress)
  copied[KEYS.name] = await copyKeys(ends)
  return { copied, digests: [...digests, ...(await compare(ends, [KEYS], onProgress))] }
}

/** Teams that came from elsewhere would be mixed with ours, and positions that were given since be given twice. */
async function refuseStrangers({ source, target }: CopyEnds): Promise<void> {
  type Known = { id: string; name: string; position: number }
  const teams = sql`select id, name, last_position as position from teams order by id`
  const known = new Map((await source.read<Known>(teams)).map((team) => [team.id, team]))
  for (const team of await target.read<Known>(teams)) {
    const original = known.get(team.id)
    if (!original) {
      throw new Error(
        `The target has a team that the source does not have: ${team.name} (${team.id}). Copy into an empty database.`,
      )
    }
    if (team.position > original.position) {
      throw new Error(
        `The target has taken mail of its own for ${team.name} (${team.id}). Nothing was copied. To start over, give an ` +
          'empty database, and let nothing run on it until the copy is done.',
      )
    }
  }
}

async function copyPart(
  { source, target }: CopyEnds,
  part: CopiedPart,
  onProgress: (progress: Progress) => void,
): Promise<number> {
  const after = part.isAppended ? await lastKey(target, part) : part.lowest
  const total = await countAfter(source, part, part.lowest)
  let done = total - (await countAfter(source, part, after))
  let copied = 0
  for await (const rows of readPieces(source, part, after)) {
    const [changed] = await target.write(...putRows(part, rows))
    copied += Number(changed)
    done += rows.length
    onProgress({ doing: 'copying', part: part.name, done, total })
  }
  return copied
}

/** All in one transaction, with what the target needs to go on by itself. */
async function copyKeys({ source, target }: CopyEnds): Promise<number> {
  const pieces = await Array.fromAsync(readPieces(source, KEYS, KEYS.lowest))
  await target.write(...pieces.flatMap((rows) => putRows(KEYS, rows)), ...GO_ON)
  // Until it has statistics, PostgreSQL reads whole tables.
  await target.write(sql`analyze`)
  return pieces.flat().length
}

/** New rows are numbered after the copied ones; whatever was indexed of a part is indexed again as a whole. */
const GO_ON: Sql[] = [
  sql`select setval(pg_get_serial_sequence('messages', 'sequence'), max(sequence)) from messages`,
  sql`select setval(pg_get_serial_sequence('rejections', 'id'), max(id)) from rejections`,
  sql`select setval(pg_get_serial_sequence('deliveries', 'sequence'), max(sequence)) from deliveries`,
  sql`select setval(pg_get_serial_sequence('delivery_attempts', 'sequence'), max(sequence)) from delivery_attempts`,
  sql`delete from text_blocks`,
  sql`update teams set indexed_through = 0, index_resets = index_resets + 1`,
]

async function compare(
  { source, target }: CopyEnds,
  parts: readonly CopiedPart[],
  onProgress: (progress: Progress) => void,
): Promise<Digest[]> {
  const digests: Digest[] = []
  const differences: string[] = []
  for (const part of parts) {
    const total = 2 * (await countAfter(source, part, part.lowest))
    let done = 0
    const onRows = (count: number) => {
      done += count
      onProgress({ doing: 'comparing', part: part.name, done, total })
    }
    const [ofSource, ofTarget] = await Promise.all([source, target].map((side) => digestsOf(side, part, onRows)))
    digests.push(...ofSource!)
    differences.push(...findDifferences({ source: ofSource!, target: ofTarget! }))
  }
  if (differences.length === 0) return digests
  throw new Error(
    `The target is not the same as the source:\n${differences.map((difference) => `  ${difference}`).join('\n')}\n` +
      'One of them was changed since it was copied. To start over, copy into an empty database.',
  )
}
