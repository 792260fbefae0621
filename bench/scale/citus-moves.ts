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
/** Every so often, Citus evens out what the moves before have made uneven. */
const REBALANCED_EVERY = 5

export type Disruption = {
  moves: number
  rebalances: number
  failedMoves: string[]
  longestMoveMs: number
  workerKills: number
  replicaKills: number
}

/** Ends an API process without warning, and starts it again. */
type KillReplica = (number: number) => Promise<void>

/**
 * Moves pieces from one worker to the other, one after another, and lets Citus move them back. Kills an API process after
 * each rebalancing, and a worker halfway.
 */
export async function disrupt(cluster: Cluster, steps: number, killReplica: KillReplica): Promise<Disruption> {
  const disruption: Disruption = {
    moves: 0,
    rebalances: 0,
    failedMoves: [],
    longestMoveMs: 0,
    workerKills: 0,
    replicaKills: 0,
  }
  const done = () => disruption.moves + disruption.rebalances
  while (done() < steps && disruption.failedMoves.length < steps * ATTEMPTS) {
    if (disruption.workerKills === 0 && done() === Math.floor(steps / 2)) {
      await cluster.workers[0]!.restart('kill', () => delay(DOWN_MS))
      disruption.workerKills++
    }
    const startedAt = performance.now()
    try {
      if ((done() + 1) % REBALANCED_EVERY === 0) {
        await withClient(cluster.url, rebalance)
        disruption.rebalances++
        await killReplica(disruption.replicaKills++)
      } else {
        await withClient(cluster.url, (client) => moveOne(client, cluster))
        disruption.moves++
      }
      disruption.longestMoveMs = Math.max(disruption.longestMoveMs, performance.now() - startedAt)
    } catch (error) {
      disruption.failedMoves.push(String(error))
    }
    await delay(PAUSE_MS)
  }
  return disruption
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** All tables of a piece move together. */
async function moveOne(client: pg.Client, { workers }: Cluster): Promise<void> {
  const [from, to] = workers.map((worker) => new URL(worker.url())) as [URL, URL]
  const { rows } = await client.query<{ shard: number }>(
    `select shardid as shard from citus_shards where table_name = 'team_state'::regclass and nodeport = $1`,
    [Number(from.port)],
  )
  const { shard } = rows[randomInt(rows.length)]!
  const nodes = [from.hostname, Number(from.port), to.hostname, Number(to.port)]
  await client.query('select citus_move_shard_placement($1, $2, $3, $4, $5)', [shard, ...nodes])
}

/** By the command of Citus, which moves pieces in the background. */
async function rebalance(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ job: string | null }>(
    `select citus_rebalance_start(rebalance_strategy => 'by_shard_count') as job`,
  )
  if (rows[0]!.job === null) throw new Error('Citus found nothing to rebalance.')
  await client.query('select citus_job_wait($1)', [rows[0]!.job])
  const { rows: states } = await client.query<{ state: string }>('select state from citus_rebalance_status()')
  if (states[0]?.state !== 'finished') throw new Error(`The rebalancing ended as ${states[0]?.state ?? 'unknown'}.`)
}
