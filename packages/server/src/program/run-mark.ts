import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { restrictToOwner } from '../sqlite/private-file.ts'

const FILE = 'running'

/** Marks the data folder as in use. True if the run before ended without a clean stop: a crash, `kill -9`, a power cut. */
export function beginRun(dataDir: string): boolean {
  const path = join(dataDir, FILE)
  const wasCutOff = existsSync(path)
  try {
    restrictToOwner(path)
    writeFileSync(path, '', { mode: 0o600 })
  } catch {
    // The disk is full. The next start then takes this run for a clean one.
  }
  return wasCutOff
}

export function endRun(dataDir: string): void {
  rmSync(join(dataDir, FILE), { force: true })
}
