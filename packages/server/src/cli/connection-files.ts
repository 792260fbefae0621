import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { AppError } from '../domain/errors.ts'
import { parseJson } from '../domain/parse-json.ts'

const PROJECT_FILE = '.mailhatch.json'
/** Permission bits of group and others. */
const OTHERS = 0o077

export type ProjectFile = { url?: string; smtp?: string; path: string }
export type Credentials = ProjectFile & { apiKey?: string }

/** The nearest project file, in this folder or above. It is committed with the project, so it must not contain a key. */
export function readProjectFile(folder: string): ProjectFile | null {
  const path = join(resolve(folder), PROJECT_FILE)
  if (existsSync(path)) return { ...read(path, ['url', 'smtp'], 'url and smtp; a key is not allowed'), path }
  return dirname(path) === dirname(dirname(path)) ? null : readProjectFile(dirname(dirname(path)))
}

/** The credentials of the user, shared by all projects. */
export function readCredentials(configHome: string): Credentials | null {
  const path = join(configHome, 'mailhatch', 'credentials.json')
  if (!existsSync(path)) return null
  // Windows has no permission bits.
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0) {
    throw new AppError(
      'validation_failed',
      `Other users can read ${path}, which contains a key. Run: chmod 600 ${path}`,
    )
  }
  return { ...read(path, ['url', 'apiKey', 'smtp'], 'url, apiKey and smtp'), path }
}

// Checked by hand: every command reads these files, and the library that checks requests takes as long to load as all else.
function read<Name extends string>(path: string, names: Name[], allowed: string): Partial<Record<Name, string>> {
  const content = parseJson(readFileSync(path, 'utf8'))
  const isObject = typeof content === 'object' && content !== null && !Array.isArray(content)
  const isAllowed = ([name, value]: [string, unknown]) =>
    names.some((known) => known === name) && typeof value === 'string'
  if (isObject && Object.entries(content).every(isAllowed)) return content
  throw new AppError('validation_failed', `${path} is not valid: it must be JSON with only ${allowed}.`)
}
