import { setTimeout } from 'node:timers/promises'
import { ObjectsUnreachable, type MessageObjects } from '../bucket/message-objects.ts'
import { ATTEMPTS_KEPT_MS, ATTEMPTS_MERGED_MS } from '../domain/attempt.ts'
import { oldestVisible, retentionDays } from '../domain/plans.ts'
import { REMEMBERED_MS } from '../domain/retry.ts'
import type { Log } from '../observe/log.ts'
import { removeMailboxStep, removeMessages, ROWS_PER_REMOVAL, type RemovalPorts } from '../manage/removal.ts'
import type { ObjectName } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import { sweepWebhooks, type WebhookSweepPorts } from './webhook-sweep.ts'

/** Longer than an announcement may take: by then the worker has written everything about a deleted message. */
const LEFT_BEHIND_MS = 60_000
/** What is remembered for a month or a day may stay a little longer. On a cluster, finding the teams asks every node once for each team. */
const FORGET_EVERY_MS = 3_600_000
/** Forgetting a row costs less than deleting a message. */
const ROWS_PER_FORGETTING = 1_000
/** By then, a worker has no longer a group of attempts whose response was lost. */
const REPORTED_AGAIN_MS = 3_600_000
/** More than are left of a day when the others are merged. */
const GROUPS_PER_MERGE = 5_000
/** Blocks of the text index, with a few thousand rows each. */
const BLOCKS_PER_DROP = 1

export type Sweep = { close(): Promise<void> }

type Ports = RemovalPorts & {
  store: Pick<
    Store,
    | 'listTeams'
    | 'expiredPositions'
    | 'removedMailboxes'
    | 'teamsWithObjectsLeft'
    | 'teamsWithRemoved'
    | 'forgetHolders'
    | 'objectsLeft'
    | 'recordObjectsGone'
    | 'forgetRemoved'
    | 'dropEmptyBlocks'
    | 'removeExpiredScenarios'
    | 'removeOldSmtpAttempts'
    | 'mergeSmtpAttempts'
  > &
    WebhookSweepPorts['store']
  log: Log
  /** Whether this process should sweep. Several at once would only repeat the work. */
  holdsLock: () => Promise<boolean>
}

/** Deletes expired data in small steps, with pauses as long as the steps, so that new mail has priority. */
export function startSweep(ports: Ports, everyMs: number): Sweep {
  const stopping = new AbortController()
  let forgottenAt = -Infinity
  const running = run()

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sweepOnce().catch((error: unknown) => {
        ports.log.error({ err: error }, 'deleting expired data failed, will retry')
      })
      await pause(everyMs)
    }
  }

  async function sweepOnce(): Promise<void> {
    if (!(await ports.holdsLock())) return
    for (const team of await ports.store.listTeams()) {
      if (retentionDays(team) !== null) await removeExpired(team.id, oldestVisible(team, ports.now()))
      await inSteps(async () => (await ports.store.dropEmptyBlocks(team.id, BLOCKS_PER_DROP)) === BLOCKS_PER_DROP)
      await ports.store.removeExpiredScenarios(team.id, ports.now())
    }
    for (const mailbox of await ports.store.removedMailboxes()) await inSteps(() => removeMailboxStep(ports, mailbox))
    const left = ports.now() - LEFT_BEHIND_MS
    for (const teamId of await ports.store.teamsWithObjectsLeft(left)) await removeLeftObjects(teamId, left)
    if (ports.now() - forgottenAt >= FORGET_EVERY_MS) await forget(ports.now())
    await sweepWebhooks(ports, inSteps)
  }

  async function forget(at: number): Promise<void> {
    const page = { before: at - REMEMBERED_MS, limit: ROWS_PER_FORGETTING }
    for (const teamId of await ports.store.teamsWithRemoved()) {
      await inSteps(async () => (await ports.store.forgetRemoved(teamId, page)) === ROWS_PER_FORGETTING)
    }
    await ports.store.forgetHolders(page.before)
    // A group may have attempts of some minutes.
    const attempts = { before: at - ATTEMPTS_KEPT_MS - ATTEMPTS_MERGED_MS, limit: ROWS_PER_FORGETTING }
    for (const team of await ports.store.listTeams()) {
      await inSteps(async () => (await ports.store.removeOldSmtpAttempts(team.id, attempts)) === ROWS_PER_FORGETTING)
      const groups = { before: at - REPORTED_AGAIN_MS, limit: GROUPS_PER_MERGE }
      await inSteps(async () => (await ports.store.mergeSmtpAttempts(team.id, groups)) > 0)
    }
    forgottenAt = at
  }

  function removeExpired(teamId: string, before: number): Promise<void> {
    return inSteps(async () => {
      const positions = await ports.store.expiredPositions(teamId, { before, limit: ROWS_PER_REMOVAL })
      if (positions.length > 0) await removeMessages(ports, teamId, positions)
      return positions.length === ROWS_PER_REMOVAL
    })
  }

  /** Deletes the objects of deleted messages once more, and those that remained: see `removeMessages`. */
  async function removeLeftObjects(teamId: string, before: number): Promise<void> {
    const { objects } = ports
    if (!objects) return
    let after: string | null = null
    await inSteps(async () => {
      const names: ObjectName[] = await ports.store.objectsLeft(teamId, { before, after, limit: ROWS_PER_REMOVAL })
      after = names.at(-1)?.id ?? null
      const gone = await removeEach(objects, names)
      if (gone.length > 0)
        await ports.store.recordObjectsGone(
          teamId,
          gone.map(({ id }) => id),
        )
      return names.length === ROWS_PER_REMOVAL
    })
  }

  /** Returns the objects that were deleted. One that fails does not stop the others. */
  async function removeEach(objects: MessageObjects, names: ObjectName[]): Promise<ObjectName[]> {
    if (names.length === 0) return []
    try {
      await objects.remove(names)
      return names
    } catch (error) {
      if (error instanceof ObjectsUnreachable || names.length === 1) {
        ports.log.warn({ err: error }, 'deleting raw mail of deleted messages failed, will retry')
        return []
      }
      const gone: ObjectName[] = []
      for (const name of names) gone.push(...(await removeEach(objects, [name])))
      return gone
    }
  }

  async function inSteps(step: () => Promise<boolean>): Promise<void> {
    for (;;) {
      const startedAt = performance.now()
      const hasMore = !stopping.signal.aborted && (await step())
      if (!hasMore) return
      await pause(performance.now() - startedAt)
    }
  }

  /** Ends early when the program stops. */
  async function pause(milliseconds: number): Promise<void> {
    await setTimeout(milliseconds, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
  }

  return {
    async close() {
      stopping.abort()
      await running
    },
  }
}
