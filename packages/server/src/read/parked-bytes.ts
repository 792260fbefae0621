import { randomUUID } from 'node:crypto'
import { open, unlink, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { StoredObject } from '../bucket/bucket.ts'
import { AppError, RETRY_SOON } from '../domain/errors.ts'
import { release } from '../domain/release.ts'

export const PARKING_LIMITS = {
  /** Smaller content stays in memory, because a file would cost more. */
  smallBytes: 256 * 1024,
  /** Limits for all downloads together. An attachment can have 25 MiB. */
  fileBytes: 1024 * 1024 * 1024,
  memoryBytes: 128 * 1024 * 1024,
}

/** Size of the chunks passed to a reader. */
const PIECE_BYTES = 64 * 1024

/** Takes ownership of the bytes. */
export type Park = (bytes: Uint8Array) => Promise<StoredObject>

/**
 * Buffers bytes for a reader that may be slow. Large content goes to an unlinked file, which disappears when it is
 * closed, in `folder` or the system's temporary folder. If neither is writable, the bytes stay in memory.
 */
export function createParking(folder: string, limits = PARKING_LIMITS): Park {
  const held = { file: 0, memory: 0 }

  function hold(place: keyof typeof held, bytesMax: number, pieces: Readable, size: number): StoredObject {
    held[place] += size
    pieces.once('close', () => (held[place] -= size))
    if (held[place] > bytesMax) {
      pieces.destroy()
      throw new AppError('server_busy', 'Too many attachments are being downloaded. Try again in a moment.', RETRY_SOON)
    }
    // Nothing is read ahead, because bytes in the queue of the web stream would no longer count.
    const strategy = new ByteLengthQueuingStrategy({ highWaterMark: 0 })
    // Node and the DOM types declare the same class separately.
    return { size, stream: Readable.toWeb(pieces, { strategy }) as ReadableStream<Uint8Array> }
  }

  return async (bytes) => {
    const size = bytes.byteLength
    const file =
      size > limits.smallBytes && held.file + size <= limits.fileBytes ? await writeFile(folder, bytes) : null
    if (file) {
      release(bytes)
      return hold('file', limits.fileBytes, file.createReadStream({ start: 0, highWaterMark: PIECE_BYTES }), size)
    }
    const pieces = Readable.from(piecesOf(bytes), { objectMode: false, highWaterMark: PIECE_BYTES })
    return hold('memory', limits.memoryBytes, pieces, size)
  }
}

async function writeFile(folder: string, bytes: Uint8Array): Promise<FileHandle | null> {
  const file = await openUnlinked(folder)
    .catch(() => openUnlinked(tmpdir()))
    .catch(() => null)
  try {
    await file?.writeFile(bytes)
    return file
  } catch {
    // The disk is full: serve the download from memory.
    await file!.close()
    return null
  }
}

async function openUnlinked(folder: string): Promise<FileHandle> {
  const path = join(folder, `download-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += PIECE_BYTES) yield bytes.subarray(start, start + PIECE_BYTES)
}
