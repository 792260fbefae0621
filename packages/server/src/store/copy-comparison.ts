import { createHash, type Hash } from 'node:crypto'
import type { CopiedPart } from './copy-tables.ts'
import { readPieces } from './copy-rows.ts'
import type { Database } from './database.ts'

/** All rows of a part that belong to one team, or to none: how many, and a hash over all that they hold, in order. */
export type Digest = { part: string; teamId: string | null; rows: number; sha256: string }

/** Reads everything, a piece at a time; `onRows` is told how many came. */
export async function digestsOf(
  database: Database,
  part: CopiedPart,
  onRows: (count: number) => void,
): Promise<Digest[]> {
  const teams = new Map<string | null, { rows: number; hash: Hash }>()
  for await (const rows of readPieces(database, part, part.lowest)) {
    for (const row of rows) {
      const teamId = row['team_id'] === undefined ? null : (row['team_id'] as string | null)
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

/** A sentence for each that is not the same on both sides. */
export function findDifferences({ source, target }: { source: Digest[]; target: Digest[] }): string[] {
  const places = new Map([...source, ...target].map((digest) => [placeOf(digest), digest]))
  return Array.from(places.keys()).flatMap((place) => {
    const there = source.find((digest) => placeOf(digest) === place)
    const here = target.find((digest) => placeOf(digest) === place)
    if (there?.sha256 === here?.sha256) return []
    if (there?.rows === here?.rows) return [`${place}: ${there?.rows} on both sides, but not the same`]
    return [`${place}: ${there?.rows ?? 0} in the source, ${here?.rows ?? 0} in the target`]
  })
}

function placeOf({ part, teamId }: Digest): string {
  return teamId === null ? part : `${part} of team ${teamId}`
}
