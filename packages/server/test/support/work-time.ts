/** A run that takes longer is repeated, because it may include compilation, garbage collection or a slow moment of the processor. */
const DOUBTFUL_MS = 50

/** Milliseconds of processor time, which other tests hardly affect. */
export function workMs(work: () => void): number {
  const first = onceMs(work)
  return first < DOUBTFUL_MS ? first : Math.min(first, onceMs(work), onceMs(work))
}

function onceMs(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** The fastest of several runs, because others include compilation or garbage collection. */
export function quickestMs(work: () => void): number {
  return Math.min(...Array.from({ length: 5 }, () => onceMs(work)))
}

/** The same for asynchronous work, with its result. */
export async function awaitedWorkMs<Result>(
  work: () => Result | Promise<Result>,
): Promise<{ result: Result; ms: number }> {
  const before = process.threadCpuUsage()
  const result = await work()
  const { user, system } = process.threadCpuUsage(before)
  return { result, ms: (user + system) / 1000 }
}

/** The longest processor time of one turn of this thread's event loop during the work. */
export async function longestHoldMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isOver = false
  let before = process.threadCpuUsage()
  function turn(): void {
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.threadCpuUsage()
    if (!isOver) setImmediate(turn)
  }
  await new Promise(setImmediate)
  before = process.threadCpuUsage()
  setImmediate(turn)
  await work()
  await new Promise(setImmediate)
  isOver = true
  return longest
}
