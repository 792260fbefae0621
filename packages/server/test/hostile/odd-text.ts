import { mailWith, PLACES, walk, type Hold, type Place } from '../support/odd-mail.ts'
import { repeatedTo, type OddText } from '../support/odd-texts.ts'

export type Held = { text: string; place: Place; step: string; ms: number }

/** Other work on the machine, compilation and collection take time too; the best try is the text's own doing. */
const TRIES = 5

/** What held the event loop for longer than allowed, in each of the places. */
export async function heldTooLong(odd: OddText, bytes: number, msMax: number): Promise<Held[]> {
  const held: Held[] = []
  const text = repeatedTo(bytes, odd)
  for (const place of PLACES) {
    const raw = mailWith(text, place)
    let holds: Hold[] = []
    for (let attempt = 0; attempt < TRIES; attempt++) {
      holds = (await walk(raw, text)).filter(({ ms }) => ms > msMax)
      if (holds.length === 0) break
    }
    held.push(...holds.map(({ step, ms }) => ({ text: odd.name, place, step, ms: Math.round(ms) })))
  }
  return held
}

/** How many times as long twice the text takes, where it takes long enough to be compared. */
export async function growth(odd: OddText, bytes: number): Promise<{ place: Place; ratio: number }[]> {
  const ratios: { place: Place; ratio: number }[] = []
  for (const place of PLACES) {
    const [half, whole] = [bytes / 2, bytes].map((size) => {
      const text = repeatedTo(size, odd)
      return { text, raw: mailWith(text, place), bestMs: Infinity }
    }) as [Measured, Measured]
    for (let attempt = 0; attempt < COMPARISONS_MAX; attempt++) {
      for (const one of [half, whole]) one.bestMs = Math.min(one.bestMs, await elapsedMs(one))
      if (whole.bestMs <= half.bestMs * RATIO_MAX + NOISE_MS) break
    }
    ratios.push({ place, ratio: Math.max(0, whole.bestMs - NOISE_MS) / half.bestMs })
  }
  return ratios
}

type Measured = { text: string; raw: Uint8Array; bestMs: number }

export const RATIO_MAX = 2.5
/** A few milliseconds are easily disturbed; nearly all texts need one. */
const COMPARISONS_MAX = 50
/** Too short to be compared. */
const NOISE_MS = 2

/** By the clock, because processor time is counted in steps of 4 ms. */
async function elapsedMs({ text, raw }: Measured): Promise<number> {
  const start = performance.now()
  await walk(raw, text)
  return performance.now() - start
}
