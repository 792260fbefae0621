import type { Client } from 'pg'
import { TEAM_TABLES } from './team-tables.ts'

/** Where the teams of a Citus cluster lie. */
export type ClusterStatus = {
  nodes: { name: string; bytes: number }[]
  /** A team cannot be larger than a node, so this is the one to watch. */
  largestTeam: { id: string; name: string; messages: number } | null
}

/** Null if the tables are not distributed. */
export async function readCluster(client: Client): Promise<ClusterStatus | null> {
  const { rows: found } = await client.query<{ isCitus: boolean }>(
    `select to_regclass('citus_shards') is not null as "isCitus"`,
  )
  if (!found[0]!.isCitus) return null
  const { rows: nodes } = await client.query<ClusterStatus['nodes'][number]>(
    `select nodename || ':' || nodeport as name, coalesce(sum(shard_size), 0)::bigint as bytes
     from citus_shards
     where table_name::text = any($1)
     group by nodename, nodeport
     order by nodename, nodeport`,
    [[...TEAM_TABLES]],
  )
  if (nodes.length === 0) return null
  const { rows: largest } = await client.query<NonNullable<ClusterStatus['largestTeam']>>(
    `select t.id, t.name, s.message_count as messages
     from team_state s join teams t on t.id = s.team_id
     order by s.message_count desc, t.id
     limit 1`,
  )
  return { nodes, largestTeam: largest[0] ?? null }
}
