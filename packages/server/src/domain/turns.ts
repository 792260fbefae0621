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

/** The same, for someone who is named. */
export type InTurnOf = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>

/** So many at once, of each name one: those of one name, however many, keep another waiting for one of them at most. */
export function createTurnsOf(atOnceMax: number): InTurnOf {
  const inTurn = createTurns(atOnceMax)
  const ofName = new Map<string, { inOwnTurn: InTurn; count: number }>()
  return async (name, work) => {
    const own = ofName.get(name) ?? { inOwnTurn: createTurns(1), count: 0 }
    ofName.set(name, own)
    own.count++
    try {
      return await own.inOwnTurn(() => inTurn(work))
    } finally {
      if (--own.count === 0) ofName.delete(name)
    }
  }
}
