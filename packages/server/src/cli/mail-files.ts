import { existsSync, openSync, readdirSync, readFileSync, readSync, closeSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { INDEX_FILE } from './export.ts'
import { readMbox } from './mbox.ts'

const MBOX_START = 'From '

export type MailFile = { path: string; bytes: number }
export type StoredMail = {
  /** The file, for what is said about it. */
  path: string
  raw: Uint8Array
  /** The recipient, where an export wrote it down. */
  to: string | null
}

const indexShape = z.object({ messages: z.array(z.object({ file: z.string().nullable(), to: z.string() })) })

/** The files that are given, and those with mail in the folders that are given. */
export function findMailFiles(paths: string[]): MailFile[] {
  const files = paths.flatMap((path) => (statSync(path).isDirectory() ? mailFilesIn(path) : [path]))
  return files.map((path) => ({ path, bytes: statSync(path).size }))
}

export async function* readMails(files: MailFile[]): AsyncGenerator<StoredMail> {
  const indexes = new Map<string, Map<string, string>>()
  for (const { path } of files) {
    if (isMbox(path)) {
      for await (const raw of readMbox(path)) yield { path, raw, to: null }
      continue
    }
    const folder = dirname(path)
    if (!indexes.has(folder)) indexes.set(folder, readRecipients(folder))
    yield { path, raw: readFileSync(path), to: indexes.get(folder)!.get(basename(path)) ?? null }
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

/** By the name of the file; an index of something else is of no use. */
function readRecipients(folder: string): Map<string, string> {
  const path = join(folder, INDEX_FILE)
  const index = existsSync(path) ? indexShape.safeParse(parseJson(readFileSync(path, 'utf8'))) : null
  if (!index?.success) return new Map()
  return new Map(index.data.messages.flatMap(({ file, to }) => (file === null ? [] : [[file, to] as const])))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
