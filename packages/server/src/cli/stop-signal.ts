import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Runs work until it ends or the user stops it, which is not a failure. */
export async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { signal, release } = stopSignal()
  try {
    await work(signal)
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    release()
  }
}

/** Fires at the first signal, or when the reader of standard output is gone. A second signal kills the process. */
function stopSignal(): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const stop = (name: NodeJS.Signals) => {
    release()
    // The shell convention: 130 and 143.
    process.exitCode = 128 + constants.signals[name]
    abort()
  }
  const release = () => {
    for (const name of SIGNALS) process.off(name, stop)
    process.stdout.off('error', abort)
  }
  for (const name of SIGNALS) process.on(name, stop)
  process.stdout.once('error', abort)
  return { signal: controller.signal, release }
}
