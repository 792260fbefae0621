import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { AppError } from '../domain/errors.ts'

const PROJECT_FILE = '.mailhatch.json'
/** Permission bits of group and others. */
const OTHERS = 0o077

const projectShape = z.strictObject({ url: z.string().optional(), smtp: z.string().optional() })
const credentialsShape = projectShape.extend({ apiKey: z.string().optional() })

export type ProjectFile = z.infer<typeof projectShape> & { path: string }
export type Credentials = z.infer<typeof credentialsShape> & { path: string }

/** The nearest project file, in this folder or above. It is committed with the project, so it must not contain a key. */
export function readProjectFile(folder: string): ProjectFile | null {
  const path = join(resolve(folder), PROJECT_FILE)
  if (existsSync(path)) return { ...read(path, projectShape, 'url and smtp; a key is not allowed'), path }
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
  return { ...read(path, credentialsShape, 'url, apiKey and smtp'), path }
}

function read<Shape extends z.ZodType<object>>(path: string, shape: Shape, allowed: string): z.infer<Shape> {
  try {
    return shape.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    throw new AppError('validation_failed', `${path} is not valid: it must be JSON with only ${allowed}.`)
  }
}
