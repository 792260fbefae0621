/** The abort reason when a request exceeds its time limit, as opposed to the caller's signal. */
export class RequestTimeout extends Error {}

/** Runs the work with a signal that fires when any of the given ones does. */
export async function withSignals<Value>(
  signals: (AbortSignal | undefined)[],
  work: (controller: AbortController) => Promise<Value>,
): Promise<Value> {
  for (const signal of signals) signal?.throwIfAborted()
  // Not AbortSignal.any with AbortSignal.timeout: on Node 20 they may be garbage collected before they fire.
  const controller = new AbortController()
  const links = signals.map((signal) => () => controller.abort(signal!.reason))
  signals.forEach((signal, index) => signal?.addEventListener('abort', links[index]!))
  try {
    return await work(controller)
  } catch (error) {
    // Platforms throw different errors on abort; the reason is the same everywhere.
    throw controller.signal.aborted ? controller.signal.reason : error
  } finally {
    signals.forEach((signal, index) => signal?.removeEventListener('abort', links[index]!))
  }
}

/** Runs the work with a signal that fires on timeout or when the caller's signal does. */
export function withTimeout<Value>(
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  return withSignals([signal], async (controller) => {
    const timer = setTimeout(() => controller.abort(new RequestTimeout()), timeoutMs)
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
