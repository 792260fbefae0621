import { InvalidArgumentError } from 'commander'

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** Well below the limit of timers, about 24 days. */
const DURATION_MS_MAX = 14 * UNIT_MS['d']!

/** A parser for durations up to a maximum, which is given as a user types it. */
export function readDurationUpTo(max: string, min = '0s'): (text: string) => number {
  const [minMs, maxMs] = [readDuration(min), readDuration(max)]
  return (text) => {
    const durationMs = readDuration(text)
    if (durationMs >= minMs && durationMs <= maxMs) return durationMs
    throw new InvalidArgumentError(
      minMs === 0 ? `Expected at most ${max}.` : `Expected a duration from ${min} to ${max}.`,
    )
  }
}

/** `30s`, `500ms`, `1.5m`; a number alone means seconds. */
export function readDuration(text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim()) ?? []
  const durationMs = amount === undefined ? NaN : Number(amount) * UNIT_MS[unit]!
  if (!(durationMs <= DURATION_MS_MAX))
    throw new InvalidArgumentError('Expected a duration such as 500ms, 30s, 2m or 1h.')
  return Math.round(durationMs)
}
