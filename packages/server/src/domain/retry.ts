/**
 * How an announcement was refused. `status` is null if there was no response. `code` is an error code of our API, or
 * `WORKER_FAILED`.
 */
export type AnnouncementRefusal = { status: number | null; code: string | null }

/** The worker itself could not create the announcement of this mail, so nothing was sent. */
export const WORKER_FAILED = 'worker_failed'

/** Statuses of a proxy, a firewall or another server in place of the API. 401 means that the secrets differ. */
const PROXY_STATUS = new Set([401, 403, 405, 407, 421])
/** Too early, too slow or too often. The same announcement succeeds later. */
const LATER_STATUS = new Set([408, 425, 429])
/** No team has the domain or mailbox. Any other 404 means that the path of WEBHOOK_URL is wrong. */
const UNROUTED_CODES = new Set(['inbox_domain_unknown', 'mailbox_unknown'])

const SECOND_MS = 1_000
const DAY_MS = 86_400 * SECOND_MS

/** Short at first, because an API that restarts is back within seconds. Then once a minute. */
const RETRY_DELAYS_MS = [1, 2, 5, 15].map((seconds) => seconds * SECOND_MS)
const RETRY_LATER_MS = 60 * SECOND_MS
/** Mail servers also give up after about five days (RFC 5321, 4.5.4.1). */
export const RETRY_FOR_MS = 5 * DAY_MS
/** How long the API remembers deleted messages and former holders of addresses: far longer than announcements are repeated. */
export const REMEMBERED_MS = 30 * DAY_MS

/** Less would cut off slow responses. More would let one mail delay others for too long. */
const TIMEOUT_MS_MIN = 1_000
const TIMEOUT_MS_MAX = 60_000

/** How long the API may take to respond to an announcement. */
export function clampTimeoutMs(wantedMs: number): number {
  return Math.min(TIMEOUT_MS_MAX, Math.max(TIMEOUT_MS_MIN, wantedMs))
}

/** The API has no team for the mail. */
export function isUnrouted({ status, code }: AnnouncementRefusal): boolean {
  return status === 404 && code !== null && UNROUTED_CODES.has(code)
}

/** Whether the announcement is retried automatically. A 404, 413 or 422 of our API waits for an operator. */
export function isRetriedAutomatically(refusal: AnnouncementRefusal): boolean {
  const { status } = refusal
  return status === null || status >= 500 || LATER_STATUS.has(status) || isFromProxy(refusal)
}

/** Whether all mail fails in the same way: the API is unreachable, unavailable, or another server responds. */
export function meansUnreachable(refusal: AnnouncementRefusal): boolean {
  const { status, code } = refusal
  if (code === WORKER_FAILED) return false
  return status === null || status > 500 || isFromProxy(refusal)
}

/** The announcement did not reach the API: no response, or one from another server, which has none of our codes. */
export function isNotReaching(refusal: AnnouncementRefusal): boolean {
  const { status, code } = refusal
  if (code === WORKER_FAILED) return false
  return status === null || isFromProxy(refusal) || (code === null && status >= 502 && status <= 504)
}

function isFromProxy(refusal: AnnouncementRefusal): boolean {
  const { status } = refusal
  if (status === null) return false
  return (
    status < 200 ||
    (status >= 300 && status < 400) ||
    PROXY_STATUS.has(status) ||
    (status === 404 && !isUnrouted(refusal))
  )
}

/** When to announce the mail again after `attempts` failures. Null to give up. */
export function nextAnnouncementAt(mail: {
  receivedAt: number
  attempts: number
  lastAttemptAt: number
}): number | null {
  const at = mail.lastAttemptAt + (RETRY_DELAYS_MS[mail.attempts - 1] ?? RETRY_LATER_MS)
  return at - mail.receivedAt > RETRY_FOR_MS ? null : at
}
