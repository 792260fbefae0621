import { constants } from 'node:os'

/** Fires at the first signal, or when nobody reads any longer what we print; a second signal ends the process. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      // As shells count it: 130 and 143.
      process.exitCode = 128 + constants.signals[name]
      controller.abort()
    })
  }
  process.stdout.once('error', () => controller.abort())
  return controller.signal
}

/** Runs a work that takes long; the user ending it is no failure. */
export async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const signal = stopSignal()
  try {
    await work(signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
