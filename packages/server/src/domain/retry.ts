/** How an announcement was refused: `status` is null when no answer came, `code` is that of our own API's errors. */
export type AnnouncementRefusal = { status: number | null; code: string | null }

/** What a proxy, a firewall or another server says that stands where the API should be; 401 is a secret that differs. */
const WAY_STATUS = new Set([401, 403, 405, 407, 421])
/** Too early, too slow or too often: the same announcement passes later. */
const LATER_STATUS = new Set([408, 425, 429])
/** No team has the domain or mailbox. Any other 404 means that WEBHOOK_URL has a wrong path. */
const UNROUTED_CODES = new Set(['inbox_domain_unknown', 'mailbox_unknown'])

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

/** The API has no team for the mail. */
export function isUnrouted({ status, code }: AnnouncementRefusal): boolean {
  return status === 404 && code !== null && UNROUTED_CODES.has(code)
}

/** Whether an announcement is repeated because trying again can help. Our own 404, 413 and 422 wait for a person. */
export function healsByItself(refusal: AnnouncementRefusal): boolean {
  const { status } = refusal
  return status === null || status >= 500 || LATER_STATUS.has(status) || isFromTheWay(refusal)
}

/** All mail fails alike: the API is away, cannot work at the moment, or is not what answers. */
export function meansUnreachable(refusal: AnnouncementRefusal): boolean {
  const { status } = refusal
  return status === null || status > 500 || isFromTheWay(refusal)
}

/** The announcement did not get to the API: no answer, or one of something else. What has a code of ours is from the API. */
export function isNotReaching(refusal: AnnouncementRefusal): boolean {
  const { status, code } = refusal
  return status === null || isFromTheWay(refusal) || (code === null && status >= 502 && status <= 504)
}

function isFromTheWay(refusal: AnnouncementRefusal): boolean {
  const { status } = refusal
  if (status === null) return false
  return (
    status < 200 ||
    (status >= 300 && status < 400) ||
    WAY_STATUS.has(status) ||
    (status === 404 && !isUnrouted(refusal))
  )
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
