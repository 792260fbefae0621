import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Cluster } from './citus-cluster.ts'

/** How long a worker is down before it starts again. */
const DOWN_MS = 3_000
/** After the start of a move. It takes longer than this, so the kill is in the middle of it. */
const KILL_AFTER_MS = 500
/** Between two moves, so that there is mail before, during and after each. */
const PAUSE_MS = 500
/** A move that fails, for example because a worker was killed, is repeated so often. */
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
  /** Of these kills, those while the move still ran. */
  killsDuringMoves: number
}

/** Ends an API process without warning, and starts it again. */
type KillReplica = (number: number) => Promise<void>

/**
 * Moves pieces from one worker to the other, one after another, and lets Citus move them back. Kills an API process during
 * each rebalancing, and a worker during a move halfway.
 */
export async function disrupt(cluster: Cluster, steps: number, killReplica: KillReplica): Promise<Disruption> {
  const disruption: Disruption = {
    moves: 0,
    rebalances: 0,
    failedMoves: [],
    longestMoveMs: 0,
    workerKills: 0,
    replicaKills: 0,
    killsDuringMoves: 0,
  }
  const done = () => disruption.moves + disruption.rebalances
  const killNextReplica = () => killReplica(disruption.replicaKills++)
  const killWorker = () => {
    disruption.workerKills++
    return cluster.workers[0]!.restart('kill', () => delay(DOWN_MS))
  }
  while (done() < steps && disruption.failedMoves.length < steps * ATTEMPTS) {
    const isRebalancing = (done() + 1) % REBALANCED_EVERY === 0
    const isWorkersTurn = disruption.workerKills === 0 && done() >= Math.floor(steps / 2)
    const kill = isRebalancing ? killNextReplica : isWorkersTurn ? killWorker : null
    const startedAt = performance.now()
    const moving = withClient(cluster.url, (client) => (isRebalancing ? rebalance(client) : moveOne(client, cluster)))
    const [moved, killed] = await Promise.allSettled([timed(moving, startedAt), kill && killDuring(moving, kill)])
    if (killed.status === 'rejected') throw killed.reason
    if (killed.value) disruption.killsDuringMoves++
    if (moved.status === 'rejected') {
      disruption.failedMoves.push(String(moved.reason))
    } else {
      disruption[isRebalancing ? 'rebalances' : 'moves']++
      disruption.longestMoveMs = Math.max(disruption.longestMoveMs, moved.value)
    }
    await delay(PAUSE_MS)
  }
  return disruption
}

async function timed(moving: Promise<void>, startedAt: number): Promise<number> {
  await moving
  return performance.now() - startedAt
}

/** Resolves to whether the move still ran when the kill came. */
async function killDuring(moving: Promise<void>, kill: () => Promise<void>): Promise<boolean> {
  const ended = moving.then(
    () => true,
    () => true,
  )
  const isOver = await Promise.race([ended, delay(KILL_AFTER_MS, false)])
  await kill()
  return !isOver
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
