import type { SmtpAttempt } from '@mailhatch/sdk'

/** How long attempts are kept. */
export const ATTEMPTS_KEPT_MS = 86_400_000

/** In one group. With the longest addresses and replies, it is below the limit of a request. */
export const ATTEMPTS_PER_GROUP_MAX = 100

/** Groups that are merged later were reported within this time. */
export const ATTEMPTS_MERGED_MS = 600_000

/** One SMTP transaction for one recipient. Times are milliseconds. */
export type AttemptReport = Omit<SmtpAttempt, 'startedAt' | 'endedAt'> & { startedAt: number; endedAt: number }

export type EndedAttempt = Omit<AttemptReport, 'id'>

/** What a worker reports together. The id is a UUID of version 7 that ends with 00. */
export type AttemptGroup = { id: string; attempts: EndedAttempt[] }

export function newGroupId(uuid: string): string {
  return idInGroup(uuid, 0)
}

/** The ids of a group's attempts sort after the id of their group and before that of the next one. */
export function idInGroup(groupId: string, index: number): string {
  return groupId.slice(0, -2) + index.toString(16).padStart(2, '0')
}

/** Of an id that `idInGroup` returned. */
export function indexInGroup(id: string): number {
  return Number.parseInt(id.slice(-2), 16)
}

/** A short word that is the same for the same text. Few other texts have it. */
export function wordFor(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(36)
}
