import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../domain/parse-json.ts'
import { INDEX_FILE } from './export.ts'

const indexShape = z.object({ messages: z.array(z.object({ file: z.string().nullable(), to: z.string() })) })

/** Recipients by file name; empty if index.json is missing or is not an export's. */
export function readRecipients(folder: string): Map<string, string> {
  const path = join(folder, INDEX_FILE)
  const index = existsSync(path) ? indexShape.safeParse(parseJson(readFileSync(path, 'utf8'))) : null
  if (!index?.success) return new Map()
  return new Map(index.data.messages.flatMap(({ file, to }) => (file === null ? [] : [[file, to] as const])))
}
