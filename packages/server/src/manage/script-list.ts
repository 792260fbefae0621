import { hash } from 'node:crypto'
import type { KnownScript } from '../domain/scenario.ts'
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
  let reading = Promise.resolve()
  let isFailing = false

  async function read(): Promise<void> {
    try {
      const scripts = await store.scriptedAddresses(now())
      current = { version: versionOf(scripts), scripts }
      isFailing = false
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'reading the scenarios failed, will retry')
      isFailing = true
    }
  }

  /** After a read that has begun, because that one may miss the change. */
  function refresh(): Promise<void> {
    reading = reading.then(read)
    return reading
  }

  const timer = setInterval(() => void refresh(), REFRESH_MS).unref()
  return {
    current: () => current,
    refresh,
    async close() {
      clearInterval(timer)
      await reading
    },
  }
}

function versionOf(scripts: KnownScript[]): string {
  const ids = scripts.map(({ id }) => id).sort()
  return hash('sha256', ids.join()).slice(0, 16)
}
