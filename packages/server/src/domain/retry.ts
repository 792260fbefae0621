// Announcements that failed are repeated only when trying again can help.
const HEALING_STATUS = new Set([401, 408, 425, 429])

const SECOND_MS = 1_000
const DAY_MS = 86_400 * SECOND_MS

/** Short first, because an API that restarts is back within seconds; then once a minute. */
const RETRY_DELAYS_MS = [1, 2, 5, 15].map((seconds) => seconds * SECOND_MS)
const RETRY_LATER_MS = 60 * SECOND_MS
/** Senders of mail give up after about five days too (RFC 5321, 4.5.4.1). */
export const RETRY_FOR_MS = 5 * DAY_MS

/** Below, a slow answer would pass for none; above, one mail would hold up others for too long. */
const TIMEOUT_MS_MIN = 1_000
const TIMEOUT_MS_MAX = 60_000

/** How long the API may take to answer an announcement. */
export function clampTimeoutMs(wantedMs: number): number {
  return Math.min(TIMEOUT_MS_MAX, Math.max(TIMEOUT_MS_MIN, wantedMs))
}

/** `null` stands for no answer at all: network error or timeout. 404, 413 and 422 wait for a person. */
export function healsByItself(status: number | null): boolean {
  return status === null || status >= 500 || HEALING_STATUS.has(status)
}

/** No answer, the answer of something that stands in front of the API, or a secret that differs: all mail fails alike. */
export function meansUnreachable(status: number | null): boolean {
  return status === null || status === 401 || (status >= 502 && status <= 504)
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
