import type { Limits } from './limits.ts'
import { SESSION_TOO_LONG, TIMED_OUT, TOO_SLOW } from './replies.ts'

export type Progress = {
  sessionMs: number
  idleMs: number
  isHandshake: boolean
  isLoaded: boolean
  /** The mail or chunk that is being received. */
  transfer: { ms: number; bytes: number } | null
}

/** The reply to cut a session off with, if it takes longer than it may. */
export function findMissedDeadline(progress: Progress, limits: Limits): string | null {
  if (progress.idleMs > idleMsMax(progress, limits)) return TIMED_OUT
  if (progress.sessionMs > limits.sessionMs) return SESSION_TOO_LONG
  if (!progress.transfer || progress.transfer.ms <= limits.rateGraceMs) return null
  const expectedBytes = (progress.transfer.ms / 1_000) * limits.rateBytesPerSecondMin
  return progress.transfer.bytes < expectedBytes ? TOO_SLOW : null
}

function idleMsMax({ transfer, isHandshake, isLoaded }: Progress, limits: Limits): number {
  if (transfer || isHandshake) return limits.dataIdleMs
  return isLoaded ? limits.commandIdleLoadedMs : limits.commandIdleMs
}
