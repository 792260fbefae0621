import { createHeldCounts } from '../../domain/held-counts.ts'

/** Connections of a team that scenarios delay or read slowly at once. Each costs memory and one of the server's connections. */
const HELD_PER_TEAM_MAX = 50

/** `end` makes it over. */
export type Hold = { over: Promise<void>; end: () => void }

/** What delays the clients of a server. */
export class Holds {
  #held = createHeldCounts()
  #ends = new Set<() => void>()
  #isReleased = false

  /** Counts a connection as held by the team, until `leave`. False if the team has too many. */
  enter(teamId: string): boolean {
    if (this.#isReleased || this.#held.of(teamId) >= HELD_PER_TEAM_MAX) return false
    this.#held.add(teamId)
    return true
  }

  leave(teamId: string): void {
    this.#held.remove(teamId)
  }

  /** Over after the time, and early when the server closes. Null if it is closing already. */
  sleep(milliseconds: number): Hold | null {
    if (this.#isReleased) return null
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const end = () => {
      clearTimeout(timer)
      this.#ends.delete(end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    this.#ends.add(end)
    return { over, end }
  }

  release(): void {
    this.#isReleased = true
    for (const end of this.#ends) end()
  }
}

/** Delays the replies of one session, until its client has gone. */
export class ReplyDelay {
  #holds: Pick<Holds, 'enter' | 'leave' | 'sleep'>
  #sleep: Hold | null = null
  #isOver = false

  constructor(holds: Pick<Holds, 'enter' | 'leave' | 'sleep'>) {
    this.#holds = holds
  }

  /** Resolves when the reply is due: at once if the team has too many delays. */
  async wait({ teamId, milliseconds }: { teamId: string; milliseconds: number }): Promise<void> {
    if (this.#isOver || !this.#holds.enter(teamId)) return
    this.#sleep = this.#holds.sleep(milliseconds)
    await this.#sleep?.over
    this.#sleep = null
    this.#holds.leave(teamId)
  }

  end(): void {
    this.#isOver = true
    this.#sleep?.end()
  }
}
