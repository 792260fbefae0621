import { createHash, type Hash } from 'node:crypto'
import type { CopiedPart } from './copy-tables.ts'
import { readBatches } from './copy-rows.ts'
import type { Database } from './database.ts'

/** All rows of a part that belong to one team, or to none: their number, and a hash of their content in order. */
export type Digest = { part: string; teamId: string | null; rows: number; sha256: string }

/** Reads everything in batches. `onRows` receives the size of each batch. */
export async function digestsOf(
  database: Database,
  part: CopiedPart,
  onRows: (count: number) => void,
): Promise<Digest[]> {
  const teams = new Map<string | null, { rows: number; hash: Hash }>()
  for await (const rows of readBatches(database, part)) {
    for (const row of rows) {
      const teamId = typeof row['team_id'] === 'string' ? row['team_id'] : null
      const team = teams.get(teamId) ?? { rows: 0, hash: createHash('sha256') }
      teams.set(teamId, team)
      team.rows++
      team.hash.update(JSON.stringify(Object.values(row)))
    }
    onRows(rows.length)
  }
  return Array.from(teams, ([teamId, { rows, hash }]) => ({
    part: part.name,
    teamId,
    rows,
    sha256: hash.digest('hex'),
  }))
}

/** One sentence per part and team that differs. */
export function findDifferences({ source, target }: { source: Digest[]; target: Digest[] }): string[] {
  const names = new Map([...source, ...target].map((digest) => [nameOf(digest), digest]))
  return Array.from(names.keys()).flatMap((name) => {
    const inSource = source.find((digest) => nameOf(digest) === name)
    const inTarget = target.find((digest) => nameOf(digest) === name)
    if (inSource?.sha256 === inTarget?.sha256) return []
    if (inSource?.rows === inTarget?.rows)
      return [`${name}: ${inSource?.rows} on both sides, but with different content`]
    return [`${name}: ${inSource?.rows ?? 0} in the source, ${inTarget?.rows ?? 0} in the target`]
  })
}

function nameOf({ part, teamId }: Digest): string {
  return teamId === null ? part : `${part} of team ${teamId}`
}
