import { readdirSync, readlinkSync } from 'node:fs'
import type { ChildServer } from '../support/child-server.ts'

/** Whether a program has a database or a lock open, which are files of SQLite. Linux only; elsewhere none is found. */
export function hasOpenData({ process: { pid } }: ChildServer): boolean {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).some((name) => targetOf(`${folder}/${name}`).endsWith('.db'))
  } catch {
    return false
  }
}

/** Empty if the file was closed meanwhile. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}
