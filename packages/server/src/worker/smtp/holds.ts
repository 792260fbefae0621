/** Connections of a team that scenarios delay at once. Each costs memory and one of the server's connections. */
const HELD_PER_TEAM_MAX = 50

/** Delays the replies to clients. */
export class Holds {
  #perTeam = new Map<string, number>()
  #ends = new Set<() => void>()
  #isReleased = false

  /** Resolves after the time: at once if the team has too many delays, and early when the server closes. */
  async delay(teamId: string, milliseconds: number): Promise<void> {
    const held = this.#perTeam.get(teamId) ?? 0
    if (held >= HELD_PER_TEAM_MAX || this.#isReleased) return
    this.#perTeam.set(teamId, held + 1)
    await this.pause(milliseconds)
    const left = this.#perTeam.get(teamId)! - 1
    if (left === 0) this.#perTeam.delete(teamId)
    else this.#perTeam.set(teamId, left)
  }

  /** The same without the limit. */
  async pause(milliseconds: number): Promise<void> {
    if (this.#isReleased) return
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#ends.delete(end)
        resolve()
      }
      const timer = setTimeout(end, milliseconds)
      this.#ends.add(end)
    })
  }

  release(): void {
    this.#isReleased = true
    for (const end of this.#ends) end()
  }
}
