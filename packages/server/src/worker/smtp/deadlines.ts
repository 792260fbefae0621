import type { Limits } from './limits.ts'
import { SESSION_TOO_LONG, TIMED_OUT, TOO_SLOW } from './replies.ts'

export type SessionProgress = {
  sessionMs: number
  idleMs: number
  isHandshake: boolean
  isLoaded: boolean
  /** The mail or chunk being received. */
  transfer: { ms: number; bytes: number } | null
}

/** The reply that ends a session which exceeds a time limit, or null. */
export function findMissedDeadline(progress: SessionProgress, limits: Limits): string | null {
  if (progress.idleMs > idleMsMax(progress, limits)) return TIMED_OUT
  if (progress.sessionMs > limits.sessionMs) return SESSION_TOO_LONG
  if (!progress.transfer || progress.transfer.ms <= limits.rateGraceMs) return null
  const expectedBytes = (progress.transfer.ms / 1_000) * limits.rateBytesPerSecondMin
  return progress.transfer.bytes < expectedBytes ? TOO_SLOW : null
}

function idleMsMax({ transfer, isHandshake, isLoaded }: SessionProgress, limits: Limits): number {
  if (transfer || isHandshake) return limits.dataIdleMs
  return isLoaded ? limits.commandIdleLoadedMs : limits.commandIdleMs
}
