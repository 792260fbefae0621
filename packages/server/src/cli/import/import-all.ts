import { createProgress } from '../progress.ts'
import { importMail, type ImportChoices, type ImportPorts } from './import-mail.ts'
import type { FoundFiles } from './mail-files.ts'
import { readMails } from './read-mails.ts'
import type { StoredMail, Unreadable } from './stored-mail.ts'

const KIB = 1_024
/** How many messages are sent in parallel. The server syncs them to disk together. */
export const AT_ONCE = 8
/** Mail that is sent in parallel is in memory. */
const AT_ONCE_BYTES = 32 * KIB * KIB
/** More problems are only counted. Few read as many. */
const PROBLEMS_MAX = 1_000

/** `problems` has the first ones of those that failed. */
export type ImportResult = { imported: number; duplicates: number; failed: number; problems: string[] }
type Imported = { result: ImportResult; sent: number }

export async function importAll(ports: ImportPorts, found: FoundFiles, choices: ImportChoices): Promise<Imported> {
  const progress = createProgress()
  const total = kilobytes(found.files.reduce((sum, { bytes }) => sum + bytes, 0))
  const result: ImportResult = { imported: 0, duplicates: 0, failed: 0, problems: [] }
  let doneBytes = 0
  let sent = 0
  const fail = (problem: string) => {
    result.failed += 1
    if (result.problems.length < PROBLEMS_MAX) result.problems.push(problem)
  }
  const take = async (mails: (StoredMail | Unreadable)[]) => {
    const outcomes = await Promise.all(
      mails.map(async (mail) =>
        'problem' in mail ? { sent: 0, problem: mail.problem } : importMail(ports, mail, choices),
      ),
    )
    for (const [index, outcome] of outcomes.entries()) {
      const { path, bytes } = mails[index]!
      doneBytes += bytes
      if (outcome === 'duplicate') {
        result.duplicates += 1
        continue
      }
      sent += outcome.sent
      if (outcome.problem === null) result.imported += 1
      else fail(`${path}: ${outcome.problem}`)
    }
    progress.show({ label: 'importing kB', done: Math.min(total, kilobytes(doneBytes)), total })
  }
  try {
    for (const problem of found.problems) fail(problem)
    for await (const mails of groupsOf(readMails(found.files))) await take(mails)
  } finally {
    progress.end()
  }
  return { result, sent }
}

async function* groupsOf(mails: AsyncIterable<StoredMail | Unreadable>): AsyncGenerator<(StoredMail | Unreadable)[]> {
  let group: (StoredMail | Unreadable)[] = []
  let groupBytes = 0
  for await (const mail of mails) {
    group.push(mail)
    groupBytes += 'raw' in mail ? mail.raw.byteLength : 0
    if (group.length < AT_ONCE && groupBytes < AT_ONCE_BYTES) continue
    yield group
    group = []
    groupBytes = 0
  }
  if (group.length > 0) yield group
}

function kilobytes(bytes: number): number {
  return Math.ceil(bytes / KIB)
}
