import type { CalendarEvent, CalendarTime } from './calendar-event.ts'

const DAY_MS = 86_400_000

const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' })
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' })

/** When the event takes place, in the zone that the event names: the sender's clock, not the reader's. */
export function whenText({ start, end }: Pick<CalendarEvent, 'start' | 'end'>): string | null {
  if (!start) return null
  if (start.isDay) {
    // The end of a whole-day event is the day after it.
    const last = end && end.at - DAY_MS > start.at ? end.at - DAY_MS : null
    return last === null ? `${dayText(start.at)}, all day` : `${dayText(start.at)} to ${dayText(last)}`
  }
  const zone = start.zone ?? 'no time zone'
  const first = `${dayText(start.at)}, ${clock.format(start.at)}`
  if (!end || end.at <= start.at) return `${first} (${zone})`
  return `${first} to ${endText(start, end)} (${zone})`
}

function endText(start: CalendarTime, end: CalendarTime): string {
  const isOtherZone = end.zone !== start.zone
  const text =
    dayText(start.at) === dayText(end.at) ? clock.format(end.at) : `${dayText(end.at)}, ${clock.format(end.at)}`
  return isOtherZone ? `${text} ${end.zone ?? ''}`.trim() : text
}

/** What the mail does with the event. */
export function purposeText({ method, status }: Pick<CalendarEvent, 'method' | 'status'>): string {
  if (method === 'CANCEL' || status?.toUpperCase() === 'CANCELLED') return 'Cancelled event'
  if (method === 'REQUEST') return 'Invitation'
  if (method === 'REPLY') return 'Reply to an invitation'
  return 'Event'
}

/** In two parts, because browsers differ in the comma between them. */
function dayText(at: number): string {
  return `${weekday.format(at)} ${date.format(at)}`
}
