import { countOf } from './count-of.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Dates of this many days are shown with the weekday. */
const WEEK_MS = 7 * DAY_MS
const SIZE_UNITS = ['kB', 'MB', 'GB', 'TB']
// Not from `Intl`, which takes 0.1 ms for each date: a list may have a million.
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `3 minutes`; whole units only, because the exact value is in the JSON. */
export function ageText(ms: number): string {
  if (ms < MINUTE_MS) return countOf(Math.max(0, Math.floor(ms / SECOND_MS)), 'second')
  if (ms < HOUR_MS) return countOf(Math.floor(ms / MINUTE_MS), 'minute')
  if (ms < 2 * DAY_MS) return countOf(Math.floor(ms / HOUR_MS), 'hour')
  return countOf(Math.floor(ms / DAY_MS), 'day')
}

/** `30 s`, `300 ms`, `2 min`. */
export function durationText(ms: number): string {
  if (ms % MINUTE_MS === 0 && ms > 0) return `${ms / MINUTE_MS} min`
  return ms % SECOND_MS === 0 ? `${ms / SECOND_MS} s` : `${ms} ms`
}

/** Local time: `14:05` today, `Mon 14:05` in the last week, `3 Nov 14:05` this year, else `3 Nov 2025`. */
export function dateText(time: string | number, now = new Date()): string {
  const at = new Date(time)
  const clock = [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
  const isPast = at <= now
  if (at.toDateString() === now.toDateString()) return clock
  if (isPast && now.getTime() - at.getTime() < WEEK_MS - DAY_MS) return `${WEEKDAYS[at.getDay()]} ${clock}`
  const day = `${at.getDate()} ${MONTHS[at.getMonth()]}`
  return at.getFullYear() === now.getFullYear() ? `${day} ${clock}` : `${day} ${at.getFullYear()}`
}

/** Local time with seconds, and the date if it is not today. */
export function clockText(time: string, { withMilliseconds = false } = {}): string {
  const at = new Date(time)
  const milliseconds = withMilliseconds ? `.${String(at.getMilliseconds()).padStart(3, '0')}` : ''
  const clock = at.toLocaleTimeString('en-GB') + milliseconds
  return at.toDateString() === new Date().toDateString() ? clock : `${at.toLocaleDateString('sv')} ${clock}`
}

/** Local time in full, with its zone: `Mon 16 Nov 2026 14:05:09 GMT+1`. */
export function fullDateText(time: string): string {
  const at = new Date(time)
  const weekday = at.toLocaleDateString('en-GB', { weekday: 'short' })
  const day = at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
  return `${weekday} ${day} ${at.toLocaleTimeString('en-GB', { timeZoneName: 'short' })}`
}

/** `512 B`, `1.4 kB`, `25 MB`: decimal units, as file managers show them. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  let [size, unit] = [bytes / 1_000, 0]
  // Rounded first, so that 999,999 bytes are 1 MB and not 1000 kB.
  while (Math.round(size) >= 1_000 && unit < SIZE_UNITS.length - 1) [size, unit] = [size / 1_000, unit + 1]
  return `${size < 9.95 ? size.toFixed(1).replace(/\.0$/, '') : Math.round(size)} ${SIZE_UNITS[unit]}`
}

/** `The Shop <app@shop.example>`, or the address alone. */
export function senderText({ from, fromName }: { from: string; fromName: string | null }): string {
  const name = fromName?.trim() ?? ''
  if (name === '' || name === from) return from
  return from === '' ? name : `${name} <${from}>`
}
