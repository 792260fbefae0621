import { AppError } from '../../domain/errors.ts'

type WallTime = { year: number; month: number; day: number; hour: number; minute: number; second: number; ms: number }

const TIME = String.raw`(?:[t ](?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.(?<fraction>\d{1,9}))?)?)?`
const ZONE = String.raw`(?: ?(?<zone>z|utc|gmt|[+-]\d{2}:?\d{2}))?`
const DATES = [
  String.raw`(?<year>\d{4})(?<separator>[-/.])(?<month>\d{1,2})(?:\k<separator>(?<day>\d{1,2}))?`,
  String.raw`(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})`,
  String.raw`(?<year>\d{4})`,
  String.raw`(?<month>\d{1,2})(?<separator>[/.])(?<day>\d{1,2})\k<separator>(?<year>\d{4})`,
  String.raw`(?<name>[a-z]{3,9}) (?<day>\d{1,2}) (?<year>\d{4})`,
  String.raw`(?<day>\d{1,2})[ -](?<name>[a-z]{3,9})[ -](?<year>\d{4})`,
].map((date) => new RegExp(`^${date}${TIME}${ZONE}$`))

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MINUTE_MS = 60_000

/**
 * A date of a search in milliseconds, from the forms that such searches have: `2026-11-18`, `2026/11/18 14:30`, ISO 8601,
 * `11/18/2026`, `18 Nov 2026`, and seconds or milliseconds since 1970. The text is clean: lower case, without commas. A
 * time without a zone is of the time zone, or else of that of this machine. Throws 400 if it is no date.
 */
export function parseQueryDate(text: string, timeZone: string | null): number {
  if (/^\d{10}$/.test(text)) return Number(text) * 1000
  if (/^\d{13}$/.test(text)) return Number(text)
  for (const pattern of DATES) {
    const fields = pattern.exec(text)?.groups
    const wall = fields && wallTimeOf(fields)
    if (!wall) continue
    const utc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second, wall.ms)
    const { zone } = fields
    return zone === undefined ? inZone(utc, timeZone) : utc - offsetOf(zone) * MINUTE_MS
  }
  throw new AppError('validation_failed', `"${text}" is not a date. Use a form such as 2026-11-18 or 2026-11-18 14:30.`)
}

/** Null if there is no such day or time. */
function wallTimeOf(fields: Record<string, string | undefined>): WallTime | null {
  const { name, fraction = '' } = fields
  const number = (field: string, otherwise: number) => Number(fields[field] ?? otherwise)
  const month = name === undefined ? number('month', 1) : MONTHS.indexOf(name.slice(0, 3)) + 1
  const wall = { year: number('year', 0), month, day: number('day', 1) }
  const time = { hour: number('hour', 0), minute: number('minute', 0), second: number('second', 0) }
  const isDay =
    month > 0 && new Date(Date.UTC(wall.year, month - 1, wall.day)).getUTCDate() === wall.day && wall.day > 0
  const isTime = month <= 12 && time.hour < 24 && time.minute < 60 && time.second < 60
  return isDay && isTime ? { ...wall, ...time, ms: Number(fraction.slice(0, 3).padEnd(3, '0')) } : null
}

/** Minutes east of Greenwich. */
function offsetOf(zone: string): number {
  if (!/^[+-]/.test(zone)) return 0
  return (zone.startsWith('-') ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2)))
}

/** The time at which clocks in the zone show what clocks in Greenwich show at `utc`. */
function inZone(utc: number, timeZone: string | null): number {
  const clock = clockOf(timeZone)
  const guess = utc - shift(clock, utc)
  // Around a change of the clocks, the offset of the result counts.
  return utc - shift(clock, guess)
}

function clockOf(timeZone: string | null): Intl.DateTimeFormat {
  const options = { hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
  try {
    return new Intl.DateTimeFormat('en-US', { ...options, ...time, ...(timeZone !== null && { timeZone }) })
  } catch {
    throw new AppError('validation_failed', `tz: "${timeZone}" is not a time zone. Use a name such as Europe/Berlin.`)
  }
}

/** How far the clock is ahead of Greenwich, in milliseconds. */
function shift(clock: Intl.DateTimeFormat, at: number): number {
  const parts = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const { year, month, day, hour, minute, second } = parts
  const shown = Date.UTC(year!, month! - 1, day, hour, minute, second)
  return shown - Math.floor(at / 1000) * 1000
}
