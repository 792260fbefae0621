import type { Rejection } from '@mailhatch/sdk'

export type RejectionGroup = Rejection & {
  /** How often the same mail was rejected for the same reason; `at` is the last time. */
  count: number
}

/** Mail that is stored although it reached no inbox. */
const STORED_CODES = new Set(['inbox_domain_unknown', 'mailbox_unknown', 'set_aside'])

/**
 * Rejections as a person counts them, newest first: repeated attempts are one entry, and mail that is listed as
 * undelivered or under other addresses is not listed here as well.
 */
export function rejectionGroups(
  rejections: Rejection[],
  { seesUnrouted }: { seesUnrouted: boolean },
): RejectionGroup[] {
  const groups = new Map<string, RejectionGroup>()
  for (const rejection of rejections) {
    const { from, to, code, reason } = rejection
    if (seesUnrouted && STORED_CODES.has(code)) continue
    const name = JSON.stringify([from, to, code, reason])
    const known = groups.get(name)
    if (known) known.count++
    else groups.set(name, { ...rejection, count: 1 })
  }
  return Array.from(groups.values())
}
