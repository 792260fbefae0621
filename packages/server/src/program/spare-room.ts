import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { restrictToOwner } from '../sqlite/private-file.ts'

/** SQLite needs 32 KiB per database to open it and a page or two to write. The rest is for small files. */
const SPARE_BYTES = 1024 * 1024
const PIECE_BYTES = 16 * 1024
/** Space is reserved at start-up only if plenty is free. */
const PLENTY_BYTES = 4 * SPARE_BYTES
const FILE = 'spare-room'

/**
 * SQLite cannot open a database on a full disk, not even to read it. So a file reserves space for that, and a start on a
 * full disk deletes the file first.
 */
export function releaseSpareRoom(dataDir: string): void {
  if (freeBytesIn(dataDir) < SPARE_BYTES) rmSync(join(dataDir, FILE), { force: true })
}

/** Call after the databases are open. */
export function reserveSpareRoom(dataDir: string): void {
  if (freeBytesIn(dataDir) > PLENTY_BYTES) writeSpareRoom(dataDir)
}

/** Call after the databases are closed: reserves what is needed to open them again, even on a nearly full disk. */
export function reserveSpareRoomAtExit(dataDir: string): void {
  writeSpareRoom(dataDir)
}

function writeSpareRoom(dataDir: string): void {
  const path = join(dataDir, FILE)
  try {
    restrictToOwner(path)
    if (existsSync(path) && statSync(path).size === SPARE_BYTES) return
    const file = openSync(path, 'w', 0o600)
    try {
      // Random bytes, because some file systems store zeros without using space.
      for (let length = 0; length < SPARE_BYTES; length += PIECE_BYTES) writeSync(file, randomBytes(PIECE_BYTES))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch {
    // The disk is full or read-only. A partly written file still helps, and the program works without one.
  }
}

function freeBytesIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    // The folder does not exist yet.
    return Infinity
  }
}
