import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Database } from './database.ts'
import { sql } from './sql.ts'
import { addToBits, emptyBits, messagesPerStep, readIndexState, writeBlock } from './text-block.ts'

/** Waits, so that recent writers go first. */
const WAIT_MS = 100

export type TextIndex = {
  /** A message was added, which may complete a block. */
  messageAdded(teamId: string, position: number): void
  /** The team's index was reset. */
  indexSoon(teamId: string): void
  close(): Promise<void>
}

export type IndexOptions = { blockSize: number; onError: (error: unknown) => void }

/**
 * Indexes each block of messages shortly after it is complete, in small steps between other work. Until then, messages
 * are found without the index. Several processes may do this at once, but only one of them writes a block.
 */
export function createTextIndex(database: Database, { blockSize, onError }: IndexOptions): TextIndex {
  const step = messagesPerStep(database)
  const teams = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let indexing: Promise<void> | null = null
  let isClosed = false

  async function indexAll(): Promise<void> {
    // Teams added meanwhile are included, even the current one.
    for (const teamId of teams) {
      teams.delete(teamId)
      try {
        await indexTeam(teamId)
      } catch (error) {
        teams.add(teamId)
        throw error
      }
    }
  }

  async function indexTeam(teamId: string): Promise<void> {
    while (!isClosed) {
      const state = await readIndexState(database, teamId)
      if (!state) return
      const first = Math.floor((state.indexedThrough + 1) / blockSize) * blockSize
      if (first + blockSize - 1 > state.lastPosition) return
      const range = { teamId, first, size: blockSize }
      const block = emptyBits(range)
      const end = first + blockSize
      for (let from = first; from < end; from += step) {
        await addToBits(database, range, block, { from, before: Math.min(from + step, end) })
        await yieldToEventLoop()
        if (isClosed) return
      }
      await database.writeFor(teamId, ...writeBlock(database.dialect, range, block, state))
    }
  }

  function start(): void {
    timer = undefined
    if (isClosed) return
    // A block that fails, for example on a full disk, is retried with the next one. No message is lost meanwhile.
    indexing ??= indexAll()
      .catch(onError)
      .finally(() => {
        indexing = null
      })
  }

  function indexSoon(teamId: string): void {
    teams.add(teamId)
    timer ??= setTimeout(start, WAIT_MS).unref()
  }

  async function resume(): Promise<void> {
    // Finds teams: each is then indexed on its own.
    const behind = sql`select team_id as id from team_state where last_position - indexed_through >= ${blockSize - 1}`
    for (const { id } of await database.read<{ id: string }>(behind)) indexSoon(id)
  }

  // Indexes what an earlier run did not complete.
  resume().catch(onError)

  return {
    messageAdded(teamId, position) {
      if ((position + 1) % blockSize === 0) indexSoon(teamId)
    },
    indexSoon,
    async close() {
      isClosed = true
      clearTimeout(timer)
      await indexing
    },
  }
}
