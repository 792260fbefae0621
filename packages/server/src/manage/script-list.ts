import { hash } from 'node:crypto'
import { KNOWN_SCRIPTS_MAX, type KnownScript } from '../domain/scenario.ts'
import type { Log } from '../observe/log.ts'
import type { Store } from '../store/store.ts'

/** How late a process learns of a scenario that another one has stored. Workers learn of it within a second. */
const REFRESH_MS = 500

/** Which addresses have scripts, in all teams: kept in memory, so that mail for other addresses asks nothing. */
export type ScriptList = {
  /** The version changes with the scripts. */
  current(): { version: string; scripts: KnownScript[] }
  /** Reads them again after a change. */
  refresh(): Promise<void>
  close(): Promise<void>
}

type Ports = { store: Pick<Store, 'scriptedAddresses'>; log: Pick<Log, 'warn'>; now: () => number }

export function createScriptList({ store, log, now }: Ports): ScriptList {
  let current = { version: versionOf([]), scripts: [] as KnownScript[] }
  let reading: Promise<void> | null = null
  let nextReading: Promise<void> | null = null
  let isFailing = false
  let isFull = false

  async function read(): Promise<void> {
    try {
      const scripts = await store.scriptedAddresses(now(), KNOWN_SCRIPTS_MAX)
      current = { version: versionOf(scripts), scripts }
      isFailing = false
      const wasFull = isFull
      isFull = scripts.length === KNOWN_SCRIPTS_MAX
      if (isFull && !wasFull)
        log.warn({ scenarios: KNOWN_SCRIPTS_MAX }, 'too many scenarios, those that end first are not in force')
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'reading the scenarios failed, will retry')
      isFailing = true
    }
  }

  function start(): Promise<void> {
    reading = read().finally(() => {
      reading = null
    })
    return reading
  }

  /** A read that has begun may miss the change, so another one follows. All that wait share it, however slow the database is. */
  function refresh(): Promise<void> {
    if (reading === null) return start()
    nextReading ??= reading.then(() => {
      nextReading = null
      return start()
    })
    return nextReading
  }

  const timer = setInterval(() => void (reading ?? refresh()), REFRESH_MS).unref()
  return {
    current: () => current,
    refresh,
    async close() {
      clearInterval(timer)
      await (nextReading ?? reading)
    },
  }
}

function versionOf(scripts: KnownScript[]): string {
  const ids = scripts.map(({ id }) => id).sort()
  return hash('sha256', ids.join()).slice(0, 16)
}
