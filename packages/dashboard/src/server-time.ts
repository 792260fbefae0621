/** The Date header has whole seconds, and a response takes a while. Smaller differences are not real. */
const TOLERATED_MS = 5_000

let offsetMs = 0

/** The current time on the server, which has made all times that the page shows. */
export function serverNow(): number {
  return Date.now() + offsetMs
}

/** Learns from a response how far the clock of this browser is off. */
export function learnServerTime(response: Response): Response {
  offsetMs = offsetFrom(response.headers.get('date'), Date.now()) ?? offsetMs
  return response
}

/** Null if the header says nothing. */
export function offsetFrom(date: string | null, now: number): number | null {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return null
  return Math.abs(theirs - now) > TOLERATED_MS ? theirs - now : 0
}
