import type { Log } from '../observe/log.ts'
import type { Store } from '../store/store.ts'

const WRITE_EVERY_MS = 30_000

/** Records when each key was last used, with one write per interval instead of one per request. */
export function createKeyUses(store: Pick<Store, 'recordKeyUse'>, log: Log) {
  let uses = new Map<string, number>()

  async function write(): Promise<void> {
    if (uses.size === 0) return
    const written = uses
    uses = new Map()
    await store.recordKeyUse(written)
  }

  const timer = setInterval(() => {
    write().catch((error: unknown) => log.error({ err: error }, 'saving the last use of keys failed'))
  }, WRITE_EVERY_MS).unref()

  return {
    record: (keyId: string) => void uses.set(keyId, Date.now()),
    async close() {
      clearInterval(timer)
      await write()
    },
  }
}
