import { openSync, readdirSync, readFileSync, readSync, closeSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readMbox } from './mbox.ts'

const MBOX_START = 'From '
/** `export` names files after the message. */
const EXPORTED_FILE = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.eml$/

export type MailFile = { path: string; bytes: number }
export type StoredMail = {
  /** The file, for error messages. */
  path: string
  raw: Uint8Array
  /** The recipient from the export's index; null without one. */
  to: string | null
  /** The id of the exported message; null for other mail. */
  id: string | null
}

/** The given files, and the mail files in the given folders. */
export function findMailFiles(paths: string[]): MailFile[] {
  const files = paths.flatMap((path) => (statSync(path).isDirectory() ? mailFilesIn(path) : [path]))
  return files.map((path) => ({ path, bytes: statSync(path).size }))
}

export async function* readMails(files: MailFile[]): AsyncGenerator<StoredMail> {
  // Loaded on demand: most commands read no mail from files.
  const { readRecipients } = await import('./export-index.ts')
  const indexes = new Map<string, Map<string, string>>()
  for (const { path } of files) {
    const folder = dirname(path)
    if (!indexes.has(folder)) indexes.set(folder, readRecipients(folder))
    const to = indexes.get(folder)!.get(basename(path)) ?? null
    const [, id = null] = EXPORTED_FILE.exec(basename(path)) ?? []
    // An exported mail without headers may start like an mbox file.
    if (to === null && id === null && isMbox(path)) {
      for await (const raw of readMbox(path)) yield { path, raw, to: null, id: null }
    } else yield { path, raw: readFileSync(path), to, id }
  }
}

function mailFilesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => /\.(eml|mbox)$/i.test(name))
    .sort()
    .map((name) => join(folder, name))
}

function isMbox(path: string): boolean {
  const start = Buffer.alloc(MBOX_START.length)
  const descriptor = openSync(path, 'r')
  readSync(descriptor, start)
  closeSync(descriptor)
  return start.toString('latin1') === MBOX_START
}
