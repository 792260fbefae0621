import type { Log } from '../observe/log.ts'
import type { Rejection } from '../store/messages.ts'
import type { Store } from '../store/store.ts'

/** Rejections are written in batches: a client that is rejected a thousand times causes one write. */
const WRITE_EVERY_MS = 1_000
/** As many as are stored. Of a flood, the first of each second are kept. */
const QUEUED_MAX = 1_000
const REASON_CHARACTERS_MAX = 500
/** Longer than any address. */
const ADDRESS_CHARACTERS_MAX = 512

export type Rejections = {
  record(rejection: Omit<Rejection, 'at'>): void
  /** Resolves when everything recorded so far is stored. */
  save(): Promise<void>
  close(): Promise<void>
}

type Ports = { store: Pick<Store, 'addRejections'>; log: Log; now: () => number }

/** Records rejected mail, so that users who wait for it see the reason. */
export function createRejections({ store, log, now }: Ports): Rejections {
  let queued: (Rejection & { domain: string })[] = []
  let saving = Promise.resolve()

  async function write(): Promise<void> {
    if (queued.length === 0) return
    const written = queued
    queued = []
    await store.addRejections(written)
  }

  /** After the previous write, which may contain what was recorded before this call. */
  function save(): Promise<void> {
    saving = saving.catch(() => {}).then(write)
    return saving
  }

  const timer = setInterval(() => {
    save().catch((error: unknown) => log.error({ err: error }, 'saving rejections failed'))
  }, WRITE_EVERY_MS).unref()

  return {
    record({ from, to, code, reason }) {
      if (queued.length >= QUEUED_MAX) return
      queued.push({
        at: now(),
        domain: to.slice(to.lastIndexOf('@') + 1).toLowerCase(),
        from: clean(from, ADDRESS_CHARACTERS_MAX),
        to: clean(to, ADDRESS_CHARACTERS_MAX),
        code,
        reason: clean(reason, REASON_CHARACTERS_MAX),
      })
    },
    save,
    async close() {
      clearInterval(timer)
      await save()
    },
  }
}

/** Untrusted input: removes what databases or JSON cannot represent. */
function clean(text: string, charactersMax: number): string {
  return text.replaceAll('\0', '').slice(0, charactersMax).toWellFormed()
}
