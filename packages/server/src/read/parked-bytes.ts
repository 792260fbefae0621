import { randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { StoredObject } from '../bucket/bucket.ts'

/** What is smaller stays in memory: a file would cost more. */
const IN_MEMORY_BYTES_MAX = 256 * 1024
/** Handed to a reader at once. */
const PIECE_BYTES = 64 * 1024

export type Parked = StoredObject

/** Keeps bytes for a reader who may be slow: large ones in a file that has no name, and goes when it is closed. */
export async function parkBytes(folder: string, bytes: Uint8Array): Promise<Parked> {
  const file = bytes.byteLength > IN_MEMORY_BYTES_MAX ? await openNameless(folder).catch(() => null) : null
  const isWritten = await file?.writeFile(bytes).then(
    () => true,
    // On a full disk they stay in memory: reading goes on where nothing can be written.
    () => file.close().then(() => false),
  )
  const pieces =
    file && isWritten
      ? file.createReadStream({ start: 0, highWaterMark: PIECE_BYTES })
      : Readable.from(piecesOf(bytes), { objectMode: false, highWaterMark: PIECE_BYTES })
  // Node and the web each have a type for what is one class.
  return { size: bytes.byteLength, stream: Readable.toWeb(pieces) as ReadableStream<Uint8Array> }
}

async function openNameless(folder: string) {
  const path = join(folder, `download-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += PIECE_BYTES) yield bytes.subarray(start, start + PIECE_BYTES)
}
