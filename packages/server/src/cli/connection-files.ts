import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { AppError } from '../domain/errors.ts'

const PROJECT_FILE = '.mailhatch.json'
/** Rights of others than the owner. */
const OTHERS = 0o077

const projectShape = z.strictObject({ url: z.string().optional(), smtp: z.string().optional() })
const credentialsShape = projectShape.extend({ apiKey: z.string().optional() })

export type ProjectFile = z.infer<typeof projectShape> & { path: string }
export type Credentials = z.infer<typeof credentialsShape> & { path: string }

/** The nearest one, in this folder or above. It is committed with the project, so a key in it is refused. */
export function readProjectFile(folder: string): ProjectFile | null {
  const path = join(resolve(folder), PROJECT_FILE)
  if (existsSync(path)) return { ...read(path, projectShape, 'url and smtp, and no key'), path }
  return dirname(path) === dirname(dirname(path)) ? null : readProjectFile(dirname(dirname(path)))
}

/** What a person keeps for all projects. */
export function readCredentials(configHome: string): Credentials | null {
  const path = join(configHome, 'mailhatch', 'credentials.json')
  if (!existsSync(path)) return null
  // Windows has no such rights.
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0) {
    throw new AppError('validation_failed', `Others can read ${path}, which holds a key. Run: chmod 600 ${path}`)
  }
  return { ...read(path, credentialsShape, 'url, apiKey and smtp'), path }
}

function read<Shape extends z.ZodType<object>>(path: string, shape: Shape, allowed: string): z.infer<Shape> {
  try {
    return shape.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    throw new AppError('validation_failed', `${path} is not valid: it must be JSON, with nothing but ${allowed}.`)
  }
}
