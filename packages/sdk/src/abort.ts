/** Why a request was given up: its own time limit, not the caller's signal. */
export class TimeUp extends Error {}

/** Runs the work with a signal that fires when any of these does. */
export async function withSignals<Value>(
  signals: (AbortSignal | undefined)[],
  work: (controller: AbortController) => Promise<Value>,
): Promise<Value> {
  for (const signal of signals) signal?.throwIfAborted()
  // Not AbortSignal.any with AbortSignal.timeout: on Node 20 the garbage collector may take them before they fire.
  const controller = new AbortController()
  const links = signals.map((signal) => () => controller.abort(signal!.reason))
  signals.forEach((signal, index) => signal?.addEventListener('abort', links[index]!))
  try {
    return await work(controller)
  } catch (error) {
    // What is thrown on the way differs between platforms; the reason does not.
    throw controller.signal.aborted ? controller.signal.reason : error
  } finally {
    signals.forEach((signal, index) => signal?.removeEventListener('abort', links[index]!))
  }
}

/** Runs the work with a signal that fires when the time is over or the caller's own signal does. */
export function withTimeout<Value>(
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  return withSignals([signal], async (controller) => {
    const timer = setTimeout(() => controller.abort(new TimeUp()), timeoutMs)
    try {
      return await work(controller.signal)
    } finally {
      clearTimeout(timer)
    }
  })
}

/** Rejects at once when the signal fires. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return withSignals(
    [signal],
    (controller) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms)
        controller.signal.addEventListener('abort', () => {
          clearTimeout(timer)
          reject(new Error('aborted'))
        })
      }),
  )
}
