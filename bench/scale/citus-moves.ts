import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Cluster } from './citus-cluster.ts'

/** How long a worker is down before it starts again. */
const DOWN_MS = 3_000
/** Between two moves, so that there is mail before, during and after each. */
const PAUSE_MS = 500
/** A move that fails, for example because a worker has just started, is repeated so often. */
const ATTEMPTS = 5

type Placement = { shard: number; host: string; port: number }

export type Disruption = { moves: number; failedMoves: string[]; longestMoveMs: number; killedAfter: number }

/** Moves pieces between the workers one after another, and kills a worker halfway. */
export async function disrupt(cluster: Cluster, moves: number): Promise<Disruption> {
  const killedAfter = Math.floor(moves / 2)
  const disruption: Disruption = { moves: 0, failedMoves: [], longestMoveMs: 0, killedAfter }
  while (disruption.moves < moves && disruption.failedMoves.length < moves * ATTEMPTS) {
    if (disruption.moves === killedAfter) await cluster.workers[0]!.restart('kill', () => delay(DOWN_MS))
    const startedAt = performance.now()
    try {
      await moveSome(cluster)
      disruption.moves++
      disruption.longestMoveMs = Math.max(disruption.longestMoveMs, performance.now() - startedAt)
    } catch (error) {
      disruption.failedMoves.push(String(error))
    }
    await delay(PAUSE_MS)
  }
  return disruption
}

/** All tables of a piece move together. */
async function moveSome({ url, workers }: Cluster): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query<Placement>(
      `select shardid as shard, nodename as host, nodeport as port from citus_shards
       where table_name = 'team_state'::regclass`,
    )
    const { shard, host, port } = rows[randomInt(rows.length)]!
    const target = workers.map((worker) => new URL(worker.url())).find((worker) => Number(worker.port) !== port)!
    await client.query('select citus_move_shard_placement($1, $2, $3, $4, $5)', [
      shard,
      host,
      port,
      target.hostname,
      Number(target.port),
    ])
  } finally {
    await client.end()
  }
}
