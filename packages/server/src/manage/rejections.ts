import type { Log } from '../log.ts'
import type { Rejection, Store } from '../store/store.ts'

/** Refusals are told a moment later and many at once: someone who is refused a thousand times causes one write. */
const WRITE_EVERY_MS = 1_000
/** As many as are kept; of a flood, the first of each second. */
const WAITING_MAX = 1_000
const REASON_CHARACTERS_MAX = 500
/** Longer than any address. */
const ADDRESS_CHARACTERS_MAX = 512

export type Rejections = {
  record(rejection: Omit<Rejection, 'at'>): void
  close(): Promise<void>
}

type Ports = { store: Pick<Store, 'addRejections'>; log: Log; now: () => number }

/** Remembers mail that was refused, for the people who wait for it. */
export function createRejections({ store, log, now }: Ports): Rejections {
  let waiting: (Rejection & { domain: string })[] = []

  async function write(): Promise<void> {
    if (waiting.length === 0) return
    const written = waiting
    waiting = []
    await store.addRejections(written)
  }

  const timer = setInterval(() => {
    write().catch((error: unknown) => log.error({ err: error }, 'refusals could not be written'))
  }, WRITE_EVERY_MS).unref()

  return {
    record({ from, to, code, reason }) {
      if (waiting.length >= WAITING_MAX) return
      waiting.push({
        at: now(),
        domain: to.slice(to.lastIndexOf('@') + 1).toLowerCase(),
        from: clean(from, ADDRESS_CHARACTERS_MAX),
        to: clean(to, ADDRESS_CHARACTERS_MAX),
        code,
        reason: clean(reason, REASON_CHARACTERS_MAX),
      })
    },
    async close() {
      clearInterval(timer)
      await write()
    },
  }
}

/** A stranger chose it: what databases and JSON can hold of it. */
function clean(text: string, charactersMax: number): string {
  return text.replaceAll('\0', '').slice(0, charactersMax).toWellFormed()
}
