import { parseIsoTime } from '../domain/iso-time.ts'
import { withoutComments } from './header-value.ts'

/** Longer text is not a date. */
const DATE_CHARS_MAX = 200

// RFC 5322, 3.3 and 4.3, with blanks collapsed. The weekday is not checked.
const MAIL_DATE =
  /^(?:[a-z]+\s?,?\s?)?(\d{1,2})[ -]([a-z]{3})[a-z]*[ -](\d{2,4}) (\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?: ?([+-]\d{2}:?\d{2}|[a-z]+))?$/i

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Hours. RFC 5322, 4.3: other names say nothing about the zone and mean UTC. */
const NAMED_ZONES: Record<string, number> = { est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7 }

const MINUTE_MS = 60_000
const YEAR_0 = Date.parse('0000-01-01T00:00:00Z')
const YEAR_10_000 = Date.UTC(10_000, 0, 1)

/** The time of a Date header in milliseconds. Null if it is not a date. Also accepts ISO 8601, which some programs send. */
export function parseMailDate(field: string): number | null {
  if (field.length > DATE_CHARS_MAX) return null
  const text = withoutComments(field).replace(/\s+/g, ' ').trim()
  const match = MAIL_DATE.exec(text)
  if (!match) return text.includes(':') ? withFourDigits(parseIsoTime(text)) : null
  const [, day, month, year, hour, minute, second = '00', zone = ''] = match
  const monthNumber = MONTHS.indexOf(month!.toLowerCase()) + 1
  const fullYear = yearOf(year!)
  const offset = offsetOf(zone)
  // A leap second counts as the last regular one.
  const seconds = second === '60' ? '59' : second
  const iso = `${pad(fullYear, 4)}-${pad(monthNumber, 2)}-${day!.padStart(2, '0')}T${hour!.padStart(2, '0')}:${minute}:${seconds}Z`
  const local = parseIsoTime(iso)
  if (local === null || offset === null) return null
  return withFourDigits(local - offset * MINUTE_MS)
}

/** Null for years that ISO 8601 does not write with four digits. */
function withFourDigits(at: number | null): number | null {
  return at !== null && at >= YEAR_0 && at < YEAR_10_000 ? at : null
}

/** RFC 5322, 4.3: two digits up to 49 are after 2000, and two or three digits otherwise after 1900. */
function yearOf(digits: string): number {
  const year = Number(digits)
  if (digits.length === 4) return year
  return year < 50 && digits.length === 2 ? 2000 + year : 1900 + year
}

/** Minutes east of Greenwich; null if there is no such zone. */
function offsetOf(zone: string): number | null {
  if (!/^[+-]/.test(zone)) return (NAMED_ZONES[zone.toLowerCase()] ?? 0) * 60
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(-2))
  if (hours > 23 || minutes > 59) return null
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

function pad(number: number, length: number): string {
  return String(number).padStart(length, '0')
}
