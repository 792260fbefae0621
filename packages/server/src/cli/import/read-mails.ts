import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { readRecipients } from '../export-index.ts'
import { exportedId } from './format.ts'
import type { MailFile } from './mail-files.ts'
import { readMailHogFile } from './mailhog.ts'
import { readMailpit } from './mailpit.ts'
import { readMbox } from './mbox.ts'
import { MAIL_BYTES_MAX, problemOf, TOO_LARGE, type StoredMail, type Unreadable } from './stored-mail.ts'

/** Reads one mail after another. What is broken is reported and skipped. */
export async function* readMails(files: MailFile[]): AsyncGenerator<StoredMail | Unreadable> {
  const indexes = new Map<string, Map<string, string>>()
  for (const file of files) {
    const { path, format } = file
    try {
      if (format === 'mbox') yield* readMboxFile(file)
      else if (format === 'mailpit') yield* readMailpit(path)
      else yield readWhole(file, indexes)
    } catch (error) {
      yield { path, bytes: 0, problem: problemOf(error) }
    }
  }
}

async function* readMboxFile({ path, bytes }: MailFile): AsyncGenerator<StoredMail | Unreadable> {
  let number = 0
  for await (const raw of readMbox(path)) {
    number += 1
    const place = `${path} (mail ${number})`
    if (raw === null) yield { path: place, bytes: MAIL_BYTES_MAX, problem: TOO_LARGE }
    else yield { path: place, raw, bytes: raw.byteLength, from: null, to: null, id: null }
  }
  if (number === 0 && bytes > 0) yield { path, bytes, problem: 'not an mbox file: it does not start with “From ”' }
}

function readWhole({ path, format, bytes }: MailFile, indexes: Map<string, Map<string, string>>) {
  if (bytes > MAIL_BYTES_MAX) return { path, bytes, problem: TOO_LARGE }
  const raw = readFileSync(path)
  if (raw.byteLength === 0) return { path, bytes, problem: 'the file is empty' }
  if (format === 'mailhog') return readMailHogFile(path, raw)
  const folder = dirname(path)
  if (!indexes.has(folder)) indexes.set(folder, readRecipients(folder))
  const to = indexes.get(folder)!.get(basename(path))
  return { path, raw, bytes, from: null, to: to === undefined ? null : [to], id: exportedId(path) }
}
