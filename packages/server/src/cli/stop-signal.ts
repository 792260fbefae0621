import { constants } from 'node:os'

/** Fires at the first signal, or when the reader of standard output is gone. A second signal kills the process. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      // The shell convention: 130 and 143.
      process.exitCode = 128 + constants.signals[name]
      controller.abort()
    })
  }
  process.stdout.once('error', () => controller.abort())
  return controller.signal
}

/** Runs work until it ends or the user stops it, which is not a failure. */
export async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const signal = stopSignal()
  try {
    await work(signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
