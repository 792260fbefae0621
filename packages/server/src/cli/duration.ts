import { InvalidArgumentError } from 'commander'

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** Timers cannot be set any further ahead, and nobody waits for weeks. */
const DURATION_MS_MAX = 14 * UNIT_MS['d']!

/** `30s`, `500ms`, `1.5m`; a number alone means seconds. */
export function readDuration(text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim()) ?? []
  const durationMs = amount === undefined ? NaN : Number(amount) * UNIT_MS[unit]!
  if (!(durationMs <= DURATION_MS_MAX))
    throw new InvalidArgumentError('It must be a time such as 500ms, 30s, 2m or 1h.')
  return Math.round(durationMs)
}
