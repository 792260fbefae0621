/** Runs work immediately, or as soon as other work ends. */
export type Semaphore = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Runs at most `atOnceMax` at a time. The rest waits in order of arrival. */
export function createSemaphore(atOnceMax: number): Semaphore {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= atOnceMax) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

export type KeyedSemaphore = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>

/** Runs at most `atOnceMax` at a time and one per key, so that one key delays others by at most one piece of work. */
export function createKeyedSemaphore(atOnceMax: number): KeyedSemaphore {
  const limited = createSemaphore(atOnceMax)
  const byKey = new Map<string, { oneAtATime: Semaphore; count: number }>()
  return async (key, work) => {
    const own = byKey.get(key) ?? { oneAtATime: createSemaphore(1), count: 0 }
    byKey.set(key, own)
    own.count++
    try {
      return await own.oneAtATime(() => limited(work))
    } finally {
      if (--own.count === 0) byKey.delete(key)
    }
  }
}
