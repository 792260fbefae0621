const STEPS: { unit: Intl.RelativeTimeFormatUnit; ms: number }[] = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
]

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })

/** “3 min. ago”, or the date if more than a month ago. What has happened is never in the future, whatever a clock says. */
export function pastText(at: number, now: number): string {
  return relativeText(Math.min(at, now), now)
}

/** The same for times that may be in the future: “in 2 days”. */
export function relativeText(at: number, now: number): string {
  const distance = at - now
  if (Math.abs(distance) > 30 * 86_400_000) return dateText(at)
  const step = STEPS.find(({ ms }) => Math.abs(distance) >= ms)
  // `now` updates every 15 seconds, so a recent time may be slightly in the future.
  if (!step) return distance > 20_000 ? 'in a moment' : 'just now'
  return relative.format(Math.round(distance / step.ms), step.unit)
}

export function exactText(at: number, zone: 'local' | 'utc'): string {
  return new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'long',
    ...(zone === 'utc' && { timeZone: 'UTC' }),
  }).format(at)
}

function dateText(at: number): string {
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' }).format(at)
}
