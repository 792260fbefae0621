import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** A log line may be cut. This many characters of a secret are too many. */
const CUT_CHARACTERS = 20
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

/** `found`: the folder, the file, whose name begins with the output that it has, and the text. */
export type Search = { secrets: number; forms: number; bytes: number; logs: string[]; found: string[] }

/** Looks for every secret that was made in everything that was logged, each in these folders beside each other. */
export async function searchLogs(folders: string[]): Promise<Search> {
  const secrets = new Set(folders.flatMap(secretsIn))
  const forms = new Set(Array.from(secrets).flatMap(formsOf))
  const cwd = dirname(folders[0]!)
  const names = folders.map((folder) => basename(folder))
  const logs = names.flatMap((name) => globSync(`${name}/*.log`, { cwd }))
  const patterns = join(folders[0]!, 'patterns')
  writeFileSync(patterns, Array.from(forms).join('\n'), { mode: 0o600 })
  const found = await grep(['-a', '-o', '-r', '-F', '-f', patterns, '--include=*.log', ...names], cwd)
  rmSync(patterns)
  const bytes = logs.reduce((sum, path) => sum + statSync(join(cwd, path)).size, 0)
  return { secrets: secrets.size, forms: forms.size, bytes, logs, found }
}

/** Written by made-secrets.ts, one JSON text per line. A part may make none. */
function secretsIn(folder: string): string[] {
  const file = join(folder, 'secrets')
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as string)
}

/** The forms of a secret that are searched for, each cut off. */
function formsOf(secret: string): string[] {
  return Object.values(namedFormsOf(secret)).flat()
}

/** As it is, in a URL, in JSON, and in Base64 at each of the three offsets in what surrounds it. */
export function namedFormsOf(secret: string): Record<'plain' | 'url' | 'json' | 'base64', string[]> {
  const bytes = Buffer.from(secret)
  const inBase64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replaceAll('=', '')
    // The characters at the edges also depend on what is next to the secret.
    return text.slice(offset === 0 ? 0 : offset + 1, -1)
  })
  const cut = (forms: string[]) => forms.map((form) => form.slice(0, CUT_CHARACTERS))
  return {
    plain: cut([secret]),
    url: cut([encodeURIComponent(secret)]),
    json: cut([JSON.stringify(secret).slice(1, -1)]),
    base64: cut(inBase64),
  }
}

async function grep(given: string[], cwd: string): Promise<string[]> {
  try {
    const { stdout } = await promisify(execFile)('grep', given, { cwd, maxBuffer: OUTPUT_BYTES_MAX })
    return stdout.trim().split('\n')
  } catch (error) {
    // It ends with 1 if it finds nothing.
    if ((error as { code?: unknown }).code === 1) return []
    throw error
  }
}
