const ISO_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/** For documents: how a day looks. */
export const DAY_PATTERN = String.raw`^\d{4}-\d{2}-\d{2}$`

/** For documents: a time with its zone, without leap seconds; or a day. Both exist only if the calendar has them. */
export const TIME_SCHEMAS = [
  {
    type: 'string',
    format: 'date-time',
    pattern: String.raw`^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$`,
  },
  { type: 'string', format: 'date', pattern: DAY_PATTERN },
]

/** Milliseconds of an ISO 8601 date or time that exists; no zone means UTC. Anything else is null. */
export function parseIsoTime(text: string): number | null {
  const match = ISO_TIME.exec(text.trim())
  if (!match) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as SixNumbers
  const fraction = Number(`0.${match[7] ?? 0}`)
  const offset = parseOffset(match[8])
  if (offset === null || hour > 23 || minute > 59 || second > 59) return null
  const midnight = utcDay(year, month, day)
  if (midnight === null) return null
  return midnight + ((hour * 60 + minute - offset) * 60 + second) * 1000 + Math.floor(fraction * 1000)
}

/** The first millisecond of a `YYYY-MM-DD` day in UTC. */
export function parseIsoDay(text: string): number | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text.trim())
  return match && utcDay(Number(match[1]), Number(match[2]), Number(match[3]))
}

type SixNumbers = [number, number, number, number, number, number]

/** `Date` rolls the 30th of February over to March; such a day does not exist. */
function utcDay(year: number, month: number, day: number): number | null {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null
}

/** Minutes east of Greenwich. */
function parseOffset(zone: string | undefined): number | null {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || 0)
  if (hours > 23 || minutes > 59) return null
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
