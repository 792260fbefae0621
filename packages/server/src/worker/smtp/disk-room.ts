import type { Log } from '../../observe/log.ts'

export type DiskRoomPorts = {
  freeBytes: () => Promise<number>
  neededBytes: number
  cacheMs: number
  log: Pick<Log, 'warn'>
}

/** Whether the disk has room for more mail. The result is shared by all sessions and cached for a moment. */
export class DiskRoom {
  #ports: DiskRoomPorts
  #isEnough = true
  #checkedAt = Number.NEGATIVE_INFINITY
  #checking: Promise<boolean> | null = null

  constructor(ports: DiskRoomPorts) {
    this.#ports = ports
  }

  /** Synchronous while the cached result is valid. */
  isEnough(now: number): boolean | Promise<boolean> {
    if (now - this.#checkedAt < this.#ports.cacheMs) return this.#isEnough
    this.#checking ??= this.#check(now)
    return this.#checking
  }

  async #check(now: number): Promise<boolean> {
    try {
      this.#isEnough = (await this.#ports.freeBytes()) >= this.#ports.neededBytes
    } catch (error) {
      // Mail is still accepted if the check fails: a full disk also shows when the mail is written.
      this.#ports.log.warn({ err: error }, 'reading the free disk space failed')
      this.#isEnough = true
    }
    this.#checkedAt = now
    this.#checking = null
    return this.#isEnough
  }
}
