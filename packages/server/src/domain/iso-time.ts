import { trimmedPattern } from './text-patterns.ts'

const ISO_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

const DAY =
  '(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|' +
  '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)'
const CLOCK = '(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?'
const OFFSET = '(?:[01][0-9]|2[0-3])'
const TIME = `${DAY}(?:[Tt ]${CLOCK}(?:[Zz]|[+-]${OFFSET}(?::?[0-5][0-9])?)?)?`

/** For the OpenAPI document: a valid calendar day. */
export const DAY_PATTERN = trimmedPattern(DAY)
/** For the OpenAPI document: what `parseIsoTime` accepts. */
export const TIME_PATTERN = trimmedPattern(TIME)
/** For the OpenAPI document: also a time with an unescaped plus sign, which arrives as a space. */
export const SINCE_PATTERN = trimmedPattern(`${TIME}|${DAY}[Tt]${CLOCK} ${OFFSET}:?[0-5][0-9]`)

/** Parses an ISO 8601 date or time to milliseconds. No zone means UTC. Null if it is not valid. */
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

/** Null for a day that does not exist. `Date` would turn 30 February into a day in March. */
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
