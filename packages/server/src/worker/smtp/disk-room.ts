export type DiskRoomPorts = {
  freeBytes: () => Promise<number>
  neededBytes: number
  believedMs: number
  log: { warn(details: object, message: string): void }
}

/** Whether the disk has room for more mail; the disk is asked once for all sessions, and only now and then. */
export class DiskRoom {
  #ports: DiskRoomPorts
  #isEnough = true
  #askedAt = Number.NEGATIVE_INFINITY
  #asking: Promise<boolean> | null = null

  constructor(ports: DiskRoomPorts) {
    this.#ports = ports
  }

  /** At once when the last answer is fresh enough. */
  isEnough(now: number): boolean | Promise<boolean> {
    if (now - this.#askedAt < this.#ports.believedMs) return this.#isEnough
    this.#asking ??= this.#ask(now)
    return this.#asking
  }

  async #ask(now: number): Promise<boolean> {
    try {
      this.#isEnough = (await this.#ports.freeBytes()) >= this.#ports.neededBytes
    } catch (error) {
      // Not knowing is no reason to refuse: a full disk still shows when the mail is written.
      this.#ports.log.warn({ err: error }, 'could not find out the free disk space')
      this.#isEnough = true
    }
    this.#askedAt = now
    this.#asking = null
    return this.#isEnough
  }
}
