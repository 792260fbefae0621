/** Connections of a team that scenarios delay at once. Each costs memory and one of the server's connections. */
const HELD_PER_TEAM_MAX = 50

/** `end` makes it over. */
export type Hold = { over: Promise<void>; end: () => void }

const NOT_HELD: Hold = { over: Promise.resolve(), end() {} }

/** Delays the replies to clients. */
export class Holds {
  #perTeam = new Map<string, number>()
  #ends = new Set<() => void>()
  #isReleased = false

  /** Over after the time: at once if the team has too many delays, and early when the server closes. */
  delay(teamId: string, milliseconds: number): Hold {
    const held = this.#perTeam.get(teamId) ?? 0
    if (held >= HELD_PER_TEAM_MAX) return NOT_HELD
    this.#perTeam.set(teamId, held + 1)
    const hold = this.pause(milliseconds)
    const leave = () => {
      const left = this.#perTeam.get(teamId)! - 1
      if (left === 0) this.#perTeam.delete(teamId)
      else this.#perTeam.set(teamId, left)
    }
    return { ...hold, over: hold.over.then(leave) }
  }

  /** The same without the limit. */
  pause(milliseconds: number): Hold {
    if (this.#isReleased) return NOT_HELD
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
  #holds: Pick<Holds, 'delay'>
  #hold: Hold | null = null
  #isOver = false

  constructor(holds: Pick<Holds, 'delay'>) {
    this.#holds = holds
  }

  /** Resolves when the reply is due. */
  async wait({ teamId, milliseconds }: { teamId: string; milliseconds: number }): Promise<void> {
    if (this.#isOver) return
    this.#hold = this.#holds.delay(teamId, milliseconds)
    await this.#hold.over
    this.#hold = null
  }

  end(): void {
    this.#isOver = true
    this.#hold?.end()
  }
}
