import { digestsOf, findDifferences, type Digest } from './copy-comparison.ts'
import { countRows, missingRanges, putRows, readBatches } from './copy-rows.ts'
import { KEYS, PARTS, type CopiedPart } from './copy-tables.ts'
import type { Database } from './database.ts'
import { sql, type Sql } from './sql.ts'

/** The target is PostgreSQL. Nothing else may write to either side during the copy. */
export type CopyEnds = { source: Database; target: Database }

export type CopyProgress = { doing: 'copying' | 'comparing'; part: string; done: number; total: number }

export type CopyResult = { copied: Record<string, number>; digests: Digest[] }

/**
 * Copies a whole store in transactions of limited size, and compares both sides. Rows that an earlier run copied stay.
 * Keys are copied last: a target that has keys is complete and may be in use, so it is only compared.
 */
export async function copyStore(ends: CopyEnds, onProgress: (progress: CopyProgress) => void): Promise<CopyResult> {
  await refuseForeignData(ends)
  const copied: Record<string, number> = {}
  const isComplete = (await countRows(ends.target, KEYS)) > 0
  if (isComplete) return { copied, digests: await compare(ends, [...PARTS, KEYS], onProgress) }

  for (const part of PARTS) copied[part.name] = await copyPart(ends, part, onProgress)
  const digests = await compare(ends, PARTS, onProgress)
  copied[KEYS.name] = await copyKeys(ends)
  return { copied, digests: [...digests, ...(await compare(ends, [KEYS], onProgress))] }
}

/** Refuses a target with other teams, or with mail of its own whose positions the copy would use again. */
async function refuseForeignData({ source, target }: CopyEnds): Promise<void> {
  type Known = { id: string; name: string; position: number }
  // The counters are copied after the teams.
  const teams = sql`
    select t.id, t.name, coalesce(s.last_position, 0) as position
    from teams t left join team_state s on s.team_id = t.id
    order by t.id`
  const known = new Map((await source.read<Known>(teams)).map((team) => [team.id, team]))
  for (const team of await target.read<Known>(teams)) {
    const original = known.get(team.id)
    if (!original) {
      throw new Error(
        `The target has a team that is missing in the source: ${team.name} (${team.id}). Copy into an empty database.`,
      )
    }
    if (team.position > original.position) {
      throw new Error(
        `The target has received mail of its own for ${team.name} (${team.id}). Nothing was copied. To start over, use an ` +
          'empty database, and run nothing on it until the copy is done.',
      )
    }
  }
}

async function copyPart(
  { source, target }: CopyEnds,
  part: CopiedPart,
  onProgress: (progress: CopyProgress) => void,
): Promise<number> {
  const total = await countRows(source, part)
  const ranges = await missingRanges(target, part)
  let done = total
  for (const range of ranges) done -= await countRows(source, part, range)
  let copied = 0
  for (const range of ranges) {
    for await (const rows of readBatches(source, part, range)) {
      const [changed] = await target.write(...putRows(part, rows))
      copied += changed ?? 0
      done += rows.length
      onProgress({ doing: 'copying', part: part.name, done, total })
    }
  }
  return copied
}

/** Copies all keys in one transaction, together with what the target needs to continue on its own. */
async function copyKeys({ source, target }: CopyEnds): Promise<number> {
  const batches = await Array.fromAsync(readBatches(source, KEYS))
  await target.write(...batches.flatMap((rows) => putRows(KEYS, rows)), ...FINISH)
  // Without statistics, PostgreSQL scans whole tables.
  await target.write(sql`analyze`)
  return batches.flat().length
}

/** Resets the text index so that it is built again. */
const FINISH: Sql[] = [
  sql`delete from index_blocks`,
  sql`update team_state set indexed_through = 0, index_resets = index_resets + 1`,
]

async function compare(
  { source, target }: CopyEnds,
  parts: readonly CopiedPart[],
  onProgress: (progress: CopyProgress) => void,
): Promise<Digest[]> {
  const digests: Digest[] = []
  const differences: string[] = []
  for (const part of parts) {
    const total = 2 * (await countRows(source, part))
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
    `The target differs from the source:\n${differences.map((difference) => `  ${difference}`).join('\n')}\n` +
      'One of them has changed since it was copied. To start over, copy into an empty database.',
  )
}
