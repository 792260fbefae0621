import { readdirSync, type Dirent } from 'node:fs'
import { extname, join } from 'node:path'
import { exportedId, formatOfStart, startOf, type Format } from './format.ts'
import type { Kind } from './kinds.ts'
import { problemOf } from './stored-mail.ts'

export type FoundFile = { path: string; format: Format }

type InFolder = {
  files: FoundFile[]
  /** Files that are no mail. */
  otherCount: number
  problems: string[]
}

/** These keep all mail in one folder. Folders in it have attachments. */
const FLAT: (Kind | null)[] = ['mailpit', 'mailhog', 'maildev']

/** Finds the mail in a folder and the folders below. Ignores links and special files. */
export function findInFolder(folder: string, kind: Kind | null): InFolder {
  const found: InFolder = { files: [], otherCount: 0, problems: [] }
  const folders = [{ path: folder, isMaildirPart: false }]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { path, isMaildirPart } = next
    try {
      const entries = readdirSync(path, { withFileTypes: true })
      for (const { name } of entries.filter((entry) => entry.isFile())) {
        const file = join(path, name)
        const format = isMaildirPart ? 'eml' : formatIn(file, kind)
        if (format === null) found.otherCount += 1
        else found.files.push({ path: file, format })
      }
      if (!FLAT.includes(kind)) for (const below of foldersIn(path, entries)) folders.push(below)
    } catch (error) {
      if (path === folder) throw error
      found.problems.push(`${path}: ${problemOf(error)}`)
    }
  }
  return found
}

function foldersIn(path: string, entries: Dirent[]) {
  const files = new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name))
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const isMaildir = names.includes('cur') && names.includes('new')
  return (
    names
      // MailDev keeps the attachments of `<id>.eml` in `<id>/`. Programs write incomplete mail to `tmp` of a maildir.
      .filter((name) => !files.has(`${name}.eml`) && !(isMaildir && name === 'tmp'))
      .map((name) => ({ path: join(path, name), isMaildirPart: isMaildir && ['cur', 'new'].includes(name) }))
  )
}

function formatIn(file: string, kind: Kind | null): Format | null {
  if (kind === 'mailhog') return 'mailhog'
  const extension = extname(file).toLowerCase()
  if (extension === '.eml' && kind !== 'mbox') {
    return kind === null && exportedId(file) === null && isStartOf(file, 'mbox') ? 'mbox' : 'eml'
  }
  if (kind === 'mbox') return extension === '.mbox' || isStartOf(file, 'mbox') ? 'mbox' : null
  if (kind !== null) return null
  if (extension === '.mbox') return 'mbox'
  return isStartOf(file, 'mailhog') ? 'mailhog' : null
}

/** False for files that cannot be read: a mail file of that kind is reported when it is read. */
function isStartOf(file: string, format: Format): boolean {
  try {
    return formatOfStart(startOf(file)) === format
  } catch (error) {
    problemOf(error)
    return false
  }
}
