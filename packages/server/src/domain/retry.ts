// Announcements that failed are repeated only when trying again can help.
const HEALING_STATUS = new Set([401, 408, 425, 429])

const SECOND_MS = 1_000
const DAY_MS = 86_400 * SECOND_MS

/** Short first, because an API that restarts is back within seconds; then once a minute. */
const RETRY_DELAYS_MS = [1, 2, 5, 15].map((seconds) => seconds * SECOND_MS)
const RETRY_LATER_MS = 60 * SECOND_MS
/** Senders of mail give up after about five days too (RFC 5321, 4.5.4.1). */
const RETRY_FOR_MS = 5 * DAY_MS

/** `null` stands for no answer at all: network error or timeout. 404, 413 and 422 wait for a person. */
export function healsByItself(status: number | null): boolean {
  return status === null || status >= 500 || HEALING_STATUS.has(status)
}

/** When to announce again after `attempts` failures, or `null` when it is time to give up. */
export function nextAnnouncementAt(mail: {
  receivedAt: number
  attempts: number
  lastAttemptAt: number
}): number | null {
  const at = mail.lastAttemptAt + (RETRY_DELAYS_MS[mail.attempts - 1] ?? RETRY_LATER_MS)
  return at - mail.receivedAt > RETRY_FOR_MS ? null : at
}
