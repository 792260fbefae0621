import { lstatSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import { AppError } from '../../domain/errors.ts'
import { uuidTime } from '../../domain/uuid.ts'
import { exportedId, formatOfStart, startOf, type Format } from './format.ts'
import { TAKEN, type Kind } from './kinds.ts'
import { findInFolder, type FoundFile } from './mail-folder.ts'
import { isMailpitDatabase } from './mailpit.ts'

export type MailFile = FoundFile & { bytes: number }
export type FoundFiles = { files: MailFile[]; problems: string[] }

/** The given files, and the mail files in each given folder, oldest first. */
export function findMailFiles(paths: string[], kind: Kind | null): FoundFiles {
  const found: FoundFiles = { files: [], problems: [] }
  for (const path of paths) {
    const given = statSync(path)
    if (given.isFile()) found.files.push({ path, format: formatOf(path, kind), bytes: given.size })
    else if (given.isDirectory()) {
      const { files, otherCount, problems } = findInFolder(path, kind)
      if (files.length === 0 && otherCount > 0) throw unknownSource(path)
      for (const file of inOrder(files)) found.files.push(file)
      for (const problem of problems) found.problems.push(problem)
    } else throw unknownSource(path)
  }
  return found
}

function formatOf(path: string, kind: Kind | null): Format {
  if (kind === 'mailhog' || kind === 'mbox' || kind === 'eml') return kind
  // An exported mail without headers may start like an mbox file.
  if (kind === 'maildev' || exportedId(path) !== null) return 'eml'
  const start = startOf(path)
  const format = formatOfStart(start)
  if (format === 'mailpit' && !isMailpitDatabase(path)) throw unknownSource(path)
  if (kind === 'mailpit') return format === 'mailpit' ? format : 'eml'
  if (format !== null) return format
  const extension = extname(path).toLowerCase()
  if (extension === '.eml') return 'eml'
  if (extension === '.mbox' || start === '') return 'mbox'
  throw unknownSource(path)
}

function unknownSource(path: string): AppError {
  return new AppError('validation_failed', `${path} is nothing that can be imported. ${TAKEN} --from says which it is.`)
}

/** By the time of arrival: that of the exported message, or of the last change of the file. */
function inOrder(files: FoundFile[]): MailFile[] {
  const dated = files.flatMap(({ path, format }) => {
    const file = lstatSync(path, { throwIfNoEntry: false })
    // Deleted since.
    if (!file) return []
    const id = exportedId(path)
    return [{ file: { path, format, bytes: file.size }, at: id === null ? file.mtimeMs : uuidTime(id) }]
  })
  dated.sort((one, other) => one.at - other.at || (one.file.path < other.file.path ? -1 : 1))
  return dated.map(({ file }) => file)
}
