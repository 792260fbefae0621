/** Runs work, at once or when its turn comes. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Runs so many at once; others wait, first come, first served. */
export function createTurns(atOnceMax: number): InTurn {
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
