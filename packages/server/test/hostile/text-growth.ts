import { fold } from '../../src/domain/fold.ts'
import { mailWith, PLACES, walk, type Place } from '../support/odd-mail.ts'
import { repeatedTo, type OddText } from '../support/odd-texts.ts'

/** The maximum ratio for twice the text: two, and a margin for caches and garbage collection. */
export const RATIO_MAX = 2.5

type Call = () => unknown
export type Work = (text: string) => Call
export type Growth = { text: string; work: string; ratio: number }

const KIB = 1024

/**
 * The work on a number of bytes of text, and on twice as many. Folding starts with more, because V8 stores strings of more
 * than 128 KiB separately, at a higher cost, so sizes below and above that cannot be compared.
 */
export const WORKS: { name: string; bytes: number; work: Work }[] = [
  { name: 'fold', bytes: 256 * KIB, work: (text) => () => fold(text) },
  ...PLACES.map((place) => ({ name: place, bytes: 128 * KIB, work: walkIn(place) })),
]

/** The first call prepares what is not measured. */
export function walkIn(place: Place): Work {
  return (text) => {
    const raw = mailWith(text, place)
    return () => walk(raw, text)
  }
}

/** The ratio of the time for twice the bytes. */
export async function growthOf(odd: OddText, { name, bytes, work }: (typeof WORKS)[number]): Promise<Growth> {
  const [single, double] = [bytes, 2 * bytes].map((size) => work(repeatedTo(size, odd))) as [Call, Call]
  return { text: odd.name, work: name, ratio: await ratioOf(single, double) }
}

const CALLS = 3
/** Long enough for a processor clock that ticks every 8 ms, then longer. */
const BATCH_MS = [80, 300, 1_000]

/**
 * By wall time at first, with a few calls each, which is enough for nearly all texts. A busy machine interrupts long calls
 * more often than short ones, so texts that seem too slow are measured again by processor time, in batches. The fastest
 * call or batch counts.
 */
async function ratioOf(single: Call, double: Call): Promise<number> {
  let ratio = await quickestRatio(single, double, elapsedMs, CALLS)
  for (const batchMs of BATCH_MS) {
    if (ratio <= RATIO_MAX) break
    ratio = await quickestRatio(single, double, (call) => processorMs(call, batchMs), CALLS)
  }
  return ratio
}

type Measure = (call: Call) => Promise<number>

/** Alternating, so that a slow moment of the machine affects both. */
async function quickestRatio(single: Call, double: Call, measure: Measure, count: number): Promise<number> {
  const best = [Infinity, Infinity] as [number, number]
  for (let turn = 0; turn < count; turn++) {
    best[0] = Math.min(best[0], await measure(single))
    best[1] = Math.min(best[1], await measure(double))
  }
  return best[1] / best[0]
}

async function elapsedMs(call: Call): Promise<number> {
  const start = performance.now()
  await call()
  return performance.now() - start
}

/** The average of one call. */
export async function processorMs(call: Call, batchMs: number): Promise<number> {
  const before = process.threadCpuUsage()
  for (let calls = 1; ; calls++) {
    await call()
    const { user, system } = process.threadCpuUsage(before)
    const ms = (user + system) / 1000
    if (ms >= batchMs) return ms / calls
  }
}
