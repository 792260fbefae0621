import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { narrow } from './sqlite/private-file.ts'

/** SQLite needs 32 KiB a database to open it, and a page or two to write; the rest is for small files. */
const SPARE_BYTES = 1024 * 1024
const PIECE_BYTES = 16 * 1024
/** While a program starts, it keeps room only where there is plenty of it. */
const PLENTY_BYTES = 4 * SPARE_BYTES
const FILE = 'spare-room'

/**
 * On a full disk SQLite cannot even open a database to read it. So a file keeps room for that, which a start gives up
 * when there is no other.
 */
export function takeSpareRoom(dataDir: string): void {
  if (freeBytesIn(dataDir) < SPARE_BYTES) rmSync(join(dataDir, FILE), { force: true })
}

/** Once the databases are open. */
export function keepSpareRoom(dataDir: string): void {
  if (freeBytesIn(dataDir) > PLENTY_BYTES) writeSpareRoom(dataDir)
}

/** Once the databases are closed: as much of what they leave as is needed to open them again. */
export function leaveSpareRoom(dataDir: string): void {
  writeSpareRoom(dataDir)
}

function writeSpareRoom(dataDir: string): void {
  const path = join(dataDir, FILE)
  try {
    narrow(path)
    if (existsSync(path) && statSync(path).size === SPARE_BYTES) return
    const file = openSync(path, 'w', 0o600)
    try {
      // Not zeros, for which some file systems take no room.
      for (let length = 0; length < SPARE_BYTES; length += PIECE_BYTES) writeSync(file, randomBytes(PIECE_BYTES))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch {
    // The disk is full or read-only: what was written counts, and the program works without the file.
  }
}

function freeBytesIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    // There is no such folder yet.
    return Infinity
  }
}
