import { setTimeout } from 'node:timers/promises'
import { oldestVisible, retentionDays } from '../domain/plans.ts'
import type { Log } from '../log.ts'
import { emptyMailbox, removeMessages, removeObjects, ROWS_PER_REMOVAL, type RemovalPorts } from '../manage/removal.ts'
import type { Store } from '../store/store.ts'

/** An announcement is repeated for up to 5 days; this is long past any. */
const REMEMBERED_MS = 30 * 86_400_000
/** What a request is removing just now is left to it. */
const LEFT_BEHIND_MS = 60_000
/** Rows cost less to forget than to remove. */
const ROWS_PER_FORGETTING = 1_000
/** Of the text index, a few thousand rows each. */
const BLOCKS_PER_DROP = 1

export type Sweep = { close(): Promise<void> }

type Ports = RemovalPorts & {
  store: Pick<
    Store,
    'listTeams' | 'expiredPositions' | 'removedMailboxes' | 'objectsLeft' | 'forgetRemoved' | 'dropEmptyBlocks'
  >
  log: Log
}

/** Removes what time has made obsolete, in small steps with pauses as long as the steps, so that mail goes first. */
export function startSweep(ports: Ports, everyMs: number): Sweep {
  const stopping = new AbortController()
  const running = run()

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sweepOnce().catch((error: unknown) => {
        ports.log.error({ err: error }, 'what has expired could not be removed; trying again soon')
      })
      await pause(everyMs)
    }
  }

  async function sweepOnce(): Promise<void> {
    for (const team of await ports.store.listTeams()) {
      if (retentionDays(team) !== null) await removeExpired(team.id, oldestVisible(team, ports.now()))
      await inSteps(async () => (await ports.store.dropEmptyBlocks(team.id, BLOCKS_PER_DROP)) === BLOCKS_PER_DROP)
    }
    for (const mailbox of await ports.store.removedMailboxes()) await emptyMailbox(ports, mailbox)
    await removeLeftObjects()
    await inSteps(async () => {
      const page = { before: ports.now() - REMEMBERED_MS, limit: ROWS_PER_FORGETTING }
      return (await ports.store.forgetRemoved(page)) === ROWS_PER_FORGETTING
    })
  }

  function removeExpired(teamId: string, before: number): Promise<void> {
    return inSteps(async () => {
      const positions = await ports.store.expiredPositions(teamId, { before, limit: ROWS_PER_REMOVAL })
      if (positions.length > 0) await removeMessages(ports, teamId, positions)
      return positions.length === ROWS_PER_REMOVAL
    })
  }

  /** Of a program that was ended between row and objects, or that did not reach the bucket. */
  async function removeLeftObjects(): Promise<void> {
    if (!ports.objects) return
    await inSteps(async () => {
      const names = await ports.store.objectsLeft({ before: ports.now() - LEFT_BEHIND_MS, limit: ROWS_PER_REMOVAL })
      await removeObjects(ports, names)
      return names.length === ROWS_PER_REMOVAL
    })
  }

  async function inSteps(step: () => Promise<boolean>): Promise<void> {
    for (;;) {
      const startedAt = performance.now()
      const hasMore = !stopping.signal.aborted && (await step())
      if (!hasMore) return
      await pause(performance.now() - startedAt)
    }
  }

  /** Ends early when the program does. */
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
