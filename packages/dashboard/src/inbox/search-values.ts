/** The current time, and the zone in which days begin. */
export type Clock = { now: number; isUtc: boolean }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const SPANS_MS: Record<string, number> = { m: MINUTE_MS, min: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS }

const SPAN = /^(\d{1,6})(m|min|h|d|w)$/i
const DATE = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(Z)?)?$/i
const SIZE = /^(\d{1,9}(?:\.\d{1,3})?)\s*(k|m|g)?(?:i?b)?$/i
const UNITS: Record<string, number> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** Reads `2026-01-31`, `2026-01-31T12:00`, `today`, `yesterday`, or a time span before now such as `2h`. */
export function parseTime(text: string, { now, isUtc }: Clock): number | null {
  const [, count, unit] = SPAN.exec(text) ?? []
  if (unit !== undefined) return Math.max(0, now - Number(count) * SPANS_MS[unit.toLowerCase()]!)
  const word = text.toLowerCase()
  if (word === 'today') return startOfDay(now, isUtc)
  // Half a day before midnight is yesterday, also when the clocks change.
  if (word === 'yesterday') return startOfDay(startOfDay(now, isUtc) - DAY_MS / 2, isUtc)
  const match = DATE.exec(text)
  return match && timeOf(match, isUtc)
}

/** Reads a number of bytes: `500`, `10k`, `1.5mb`. */
export function parseSize(text: string): number | null {
  const match = SIZE.exec(text.trim())
  if (!match) return null
  const bytes = Math.round(Number(match[1]) * (UNITS[match[2]?.toLowerCase() ?? ''] ?? 1))
  // No message is as large; the server accepts exact numbers only.
  return Math.min(bytes, Number.MAX_SAFE_INTEGER)
}

function startOfDay(time: number, isUtc: boolean): number {
  return isUtc ? new Date(time).setUTCHours(0, 0, 0, 0) : new Date(time).setHours(0, 0, 0, 0)
}

/** Null for a day or an hour that does not exist. `Date` would turn 30 February into a day in March. */
function timeOf(match: RegExpExecArray, isUtcDefault: boolean): number | null {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  if (hour > 23 || minute > 59 || second > 59) return null
  const calendar = new Date(Date.UTC(year, month - 1, day))
  if (calendar.getUTCMonth() !== month - 1 || calendar.getUTCDate() !== day) return null
  const isUtc = isUtcDefault || match[7] !== undefined
  return isUtc
    ? Date.UTC(year, month - 1, day, hour, minute, second)
    : new Date(year, month - 1, day, hour, minute, second).getTime()
}
