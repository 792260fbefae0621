import { isRetriedAutomatically, nextAnnouncementAt, WORKER_FAILED } from '../domain/retry.ts'
import { refusalOf, type Metadata } from './metadata.ts'

/** When a stored mail is announced automatically; null when only an operator can retry it. */
export function findDueAt(metadata: Metadata): number | null {
  const { attempts, receivedAt, lastAttemptAt, setAside } = metadata
  if (setAside !== null) return null
  if (lastAttemptAt === null) return Date.parse(receivedAt)
  if (!isRetriedAutomatically(refusalOf(metadata))) return null
  return nextAnnouncementAt({ receivedAt: Date.parse(receivedAt), attempts, lastAttemptAt: Date.parse(lastAttemptAt) })
}

/**
 * Whether the API or this process may crash on the mail again. A 500 affects no other mail, and a failure of the worker
 * sends nothing.
 */
export function isSuspect({ ownFailures, trying, lastStatus, lastCode }: Metadata): boolean {
  return trying !== null || (ownFailures > 0 && lastStatus !== 500 && lastCode !== WORKER_FAILED)
}
