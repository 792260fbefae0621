import { randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { chmod, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Limits } from './limits.ts'

/** The second form names a file that is gone once the receiver is done with it. */
export type MailContent = Uint8Array | { path: string; size: number }

export type SpoolPorts = {
  spoolFolder: string
  limits: Pick<Limits, 'memoryBytesMax' | 'memoryPerMailBytesMax' | 'memoryPerMailScarceBytesMax'>
  /** Shared by all spools of a server. */
  memory: { usedBytes: number }
}

const SUFFIX = '.spool'
const GROWTH_BYTES_MIN = 16 * 1024

/** Makes the folder and removes what a crash left in it: none of that was ever acknowledged. */
export async function prepareSpoolFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // One that was there may be open to others; on a file system without modes that is for its owner to decide.
  await chmod(folder, 0o700).catch(() => {})
  const names = await readdir(folder)
  await Promise.all(names.filter((name) => name.endsWith(SUFFIX)).map((name) => rm(join(folder, name))))
}

/** Keeps one mail while it comes in: in memory as long as it is small, then in a file. */
export class Spool {
  size = 0
  #ports: SpoolPorts
  #held: Buffer | null = null
  #heldBytes = 0
  #ownsHeld = false
  #file: { path: string; handle: FileHandle } | null = null

  constructor(ports: SpoolPorts) {
    this.#ports = ports
  }

  /** A promise when the chunk went to disk: nothing more may be written until it settles. */
  write(chunk: Buffer): Promise<void> | null {
    if (chunk.length === 0) return null
    this.size += chunk.length
    if (this.#heldBytes + chunk.length > this.#heldBytesMax()) return this.#flush(chunk)
    this.#hold(chunk)
    return null
  }

  finish(): MailContent | Promise<MailContent> {
    if (this.#file) return this.#finishFile(this.#file)
    return this.#held ? this.#held.subarray(0, this.#heldBytes) : Buffer.alloc(0)
  }

  /** Gives memory and file back, whether the mail was stored or given up. */
  async remove(): Promise<void> {
    this.#release()
    const file = this.#file
    if (!file) return
    this.#file = null
    try {
      await file.handle.close()
    } finally {
      await rm(file.path, { force: true })
    }
  }

  #heldBytesMax(): number {
    const { limits, memory } = this.#ports
    return memory.usedBytes < limits.memoryBytesMax ? limits.memoryPerMailBytesMax : limits.memoryPerMailScarceBytesMax
  }

  #hold(chunk: Buffer): void {
    const needed = this.#heldBytes + chunk.length
    if (!this.#held) {
      // A mail that came in one piece is passed on as that piece, without a copy.
      this.#replaceHeld(chunk)
    } else {
      if (!this.#ownsHeld || this.#held.length < needed) {
        const larger = Buffer.allocUnsafeSlow(Math.max(2 * needed, GROWTH_BYTES_MIN))
        this.#held.copy(larger, 0, 0, this.#heldBytes)
        this.#replaceHeld(larger)
        this.#ownsHeld = true
      }
      chunk.copy(this.#held, this.#heldBytes)
    }
    this.#heldBytes = needed
  }

  #replaceHeld(buffer: Buffer): void {
    this.#ports.memory.usedBytes += buffer.length - (this.#held?.length ?? 0)
    this.#held = buffer
  }

  #release(): void {
    if (this.#held) this.#ports.memory.usedBytes -= this.#held.length
    this.#held = null
    this.#heldBytes = 0
    this.#ownsHeld = false
  }

  async #flush(chunk: Buffer | null): Promise<void> {
    this.#file ??= await createFile(this.#ports.spoolFolder)
    // `writeFile` on a handle goes on where the last one ended, and repeats short writes.
    if (this.#held) await this.#file.handle.writeFile(this.#held.subarray(0, this.#heldBytes))
    this.#heldBytes = 0
    if (!this.#ownsHeld) this.#release()
    if (!chunk) return
    if (chunk.length > this.#heldBytesMax()) await this.#file.handle.writeFile(chunk)
    else this.#hold(chunk)
  }

  async #finishFile(file: { path: string; handle: FileHandle }): Promise<MailContent> {
    await this.#flush(null)
    this.#release()
    return { path: file.path, size: this.size }
  }
}

async function createFile(folder: string): Promise<{ path: string; handle: FileHandle }> {
  const path = join(folder, `${randomUUID()}${SUFFIX}`)
  return { path, handle: await open(path, 'wx', 0o600) }
}
