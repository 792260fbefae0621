import { closeSync, openSync, readSync } from 'node:fs'
import { basename } from 'node:path'

/** `export` names files after the message. */
const EXPORTED_FILE = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.eml$/
/** The first line of a mail is a header: a name and a colon. */
const HEADER_START = /^[!-9;-~]{1,100}[ \t]*:/
/** Enough for every signature, and for the name of a header. */
const START_BYTES = 128

/** How a file is read. */
export type Format = 'mailpit' | 'mailhog' | 'mbox' | 'eml'

/** The id of the message that was exported to this file. */
export function exportedId(path: string): string | null {
  return EXPORTED_FILE.exec(basename(path))?.[1] ?? null
}

export function startOf(path: string): string {
  const start = Buffer.alloc(START_BYTES)
  const descriptor = openSync(path, 'r')
  try {
    return start.toString('latin1', 0, readSync(descriptor, start))
  } finally {
    closeSync(descriptor)
  }
}

/** The format that the first bytes of a file show. Null for what is no mail. */
export function formatOfStart(start: string): Format | null {
  if (start.startsWith('SQLite format 3\0')) return 'mailpit'
  if (start.startsWith('HELO:<')) return 'mailhog'
  if (start.startsWith('From ')) return 'mbox'
  return HEADER_START.test(start) ? 'eml' : null
}
