/** A logarithmic axis. `at` is a share of its length, from 0 to 1. */
export type LogAxis = { ticks: number[]; at: (value: number) => number }

/** Decades that still have ticks at 2 and 5 of each power of ten. */
const DECADES_WITH_STEPS_MAX = 2.5

/** An axis with ticks on both sides of all values. What is zero or less lies at its start. */
export function logAxis(values: number[]): LogAxis {
  const positive = values.filter((value) => value > 0)
  if (positive.length === 0) positive.push(1)
  const low = Math.log10(Math.min(...positive))
  const high = Math.log10(Math.max(...positive))
  const steps = high - low > DECADES_WITH_STEPS_MAX ? [1] : [1, 2, 5]
  const candidates: number[] = []
  for (let power = Math.floor(low); power <= Math.ceil(high) + 1; power++)
    candidates.push(...steps.map((step) => Number(`${step}e${power}`)))
  const first = candidates.findLastIndex((tick) => Math.log10(tick) <= low)
  const last = candidates.findIndex((tick, index) => index > first && Math.log10(tick) >= high)
  const ticks = candidates.slice(first, last + 1)
  const start = Math.log10(ticks[0]!)
  const length = Math.log10(ticks.at(-1)!) - start
  return { ticks, at: (value) => (value <= ticks[0]! ? 0 : (Math.log10(value) - start) / length) }
}
