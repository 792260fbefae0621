import { healsByItself, nextAnnouncementAt } from '../domain/retry.ts'
import type { Metadata } from './metadata.ts'

/** When a stored mail is to be announced by itself; null when only a person can help. */
export function findDueAt({ attempts, receivedAt, lastAttemptAt, lastStatus }: Metadata): number | null {
  if (lastAttemptAt === null) return Date.parse(receivedAt)
  if (!healsByItself(lastStatus)) return null
  return nextAnnouncementAt({ receivedAt: Date.parse(receivedAt), attempts, lastAttemptAt: Date.parse(lastAttemptAt) })
}
