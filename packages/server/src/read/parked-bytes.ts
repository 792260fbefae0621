import { randomUUID } from 'node:crypto'
import { open, unlink, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { StoredObject } from '../bucket/bucket.ts'
import { AppError } from '../domain/errors.ts'

export const PARKING_LIMITS = {
  /** What is smaller stays in memory: a file would cost more. */
  smallBytes: 256 * 1024,
  /** Of all downloads together. Attachments have up to 25 MiB. */
  fileBytes: 1024 * 1024 * 1024,
  memoryBytes: 128 * 1024 * 1024,
}

/** Handed to a reader at once. */
const PIECE_BYTES = 64 * 1024

export type Park = (bytes: Uint8Array) => Promise<StoredObject>

/**
 * Keeps bytes for a reader who may be slow: large ones in a file without a name, which goes when it is closed, in
 * `folder` or the system's folder for temporary files. Where neither can be written, they stay in memory.
 */
export function createParking(folder: string, limits = PARKING_LIMITS): Park {
  const held = { file: 0, memory: 0 }

  function hold(place: keyof typeof held, bytesMax: number, pieces: Readable, size: number): StoredObject {
    held[place] += size
    pieces.once('close', () => (held[place] -= size))
    if (held[place] > bytesMax) {
      pieces.destroy()
      throw new AppError('server_busy', 'Too many attachments are being downloaded. Try again in a moment.', {
        headers: { 'retry-after': '1' },
      })
    }
    // Node and the web each have a type for what is one class.
    return { size, stream: Readable.toWeb(pieces) as ReadableStream<Uint8Array> }
  }

  return async (bytes) => {
    const size = bytes.byteLength
    const file =
      size > limits.smallBytes && held.file + size <= limits.fileBytes ? await writeFile(folder, bytes) : null
    if (file) {
      return hold('file', limits.fileBytes, file.createReadStream({ start: 0, highWaterMark: PIECE_BYTES }), size)
    }
    const pieces = Readable.from(piecesOf(bytes), { objectMode: false, highWaterMark: PIECE_BYTES })
    return hold('memory', limits.memoryBytes, pieces, size)
  }
}

async function writeFile(folder: string, bytes: Uint8Array): Promise<FileHandle | null> {
  const file = await openNameless(folder)
    .catch(() => openNameless(tmpdir()))
    .catch(() => null)
  try {
    await file?.writeFile(bytes)
    return file
  } catch {
    // The disk is full: reading goes on where nothing can be written.
    await file!.close()
    return null
  }
}

async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, `download-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += PIECE_BYTES) yield bytes.subarray(start, start + PIECE_BYTES)
}
