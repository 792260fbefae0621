import { randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { chmod, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { MailContent } from '../../mime/mail-parser.ts'
import type { Limits } from './limits.ts'

export type SpoolPorts = {
  spoolFolder: string
  limits: Pick<Limits, 'memoryBytesMax' | 'memoryPerMailBytesMax' | 'memoryPerMailScarceBytesMax'>
  /** Shared by all spools of one server. */
  memory: { usedBytes: number }
}

const SUFFIX = '.spool'
const GROWTH_BYTES_MIN = 16 * 1024

/** Creates the folder and deletes files left by a crash. None of that mail was acknowledged. */
export async function prepareSpoolFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // An existing folder may be readable by others. Some file systems have no modes, so a failure is ignored.
  await chmod(folder, 0o700).catch(() => {})
  const names = await readdir(folder)
  await Promise.all(names.filter((name) => name.endsWith(SUFFIX)).map((name) => rm(join(folder, name))))
}

/** Holds one mail during its transfer: in memory while it is small, then in a file. */
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

  /** Returns a promise if the chunk is written to disk. Do not write again before it settles. */
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

  /** Releases memory and file, whether the mail was stored or abandoned. */
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
      // A mail that arrives in one chunk is passed on without copying it.
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
    // `writeFile` on a handle continues after the previous write and completes short writes.
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
