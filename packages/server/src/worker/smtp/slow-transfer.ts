import type { MailPlan } from '../scripts.ts'
import type { Hold, Holds } from './holds.ts'

/** After so long, a slow transfer looks whether its client has gone or its scenario has ended. */
const SLICE_MS_MAX = 100

/** Of what the client sent while the transfer sleeps, so much is read, so that the end of its input is seen. */
export const READ_AHEAD_BYTES_MAX = 64 * 1024

export type SlowPlan = Pick<MailPlan, 'teamId' | 'isInForce'> & { bytesPerSecond: number }

/** Reads one mail with a rate. It counts as one delayed connection of the team, and reads at full speed if there are too many. */
export class SlowTransfer {
  #holds: Pick<Holds, 'enter' | 'leave' | 'sleep'>
  #plan: SlowPlan
  #isSlow: boolean
  #sleep: Hold | null = null

  constructor(holds: Pick<Holds, 'enter' | 'leave' | 'sleep'>, plan: SlowPlan) {
    this.#holds = holds
    this.#plan = plan
    this.#isSlow = holds.enter(plan.teamId)
  }

  /** Resolves when so many bytes are due. Calls `onSlice` while it waits. Null if nothing waits. */
  wait(bytes: number, onSlice: () => void): Promise<void> | null {
    return this.#isSlow
      ? this.#waitUntil(performance.now() + (bytes / this.#plan.bytesPerSecond) * 1_000, onSlice)
      : null
  }

  /** Reads the rest at full speed. */
  end(): void {
    if (!this.#isSlow) return
    this.#isSlow = false
    this.#holds.leave(this.#plan.teamId)
    this.#sleep?.end()
  }

  async #waitUntil(dueAt: number, onSlice: () => void): Promise<void> {
    for (;;) {
      const leftMs = dueAt - performance.now()
      if (!this.#isSlow || leftMs <= 0) return
      this.#sleep = this.#holds.sleep(Math.min(leftMs, SLICE_MS_MAX))
      if (this.#sleep === null) return
      await this.#sleep.over
      if (!this.#plan.isInForce()) this.end()
      else if (this.#isSlow) onSlice()
    }
  }
}
