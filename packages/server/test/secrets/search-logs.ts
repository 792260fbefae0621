import { execFile } from 'node:child_process'
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A log line may be cut. This many characters of a secret are too many. */
const CUT_CHARACTERS = 20
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

/** `found`: the file, whose name begins with the output that it has, and the text. */
export type Search = { secrets: number; forms: number; bytes: number; logs: number; found: string[] }

/** Looks for every secret that was made in everything that was logged. */
export async function searchLogs(folder: string): Promise<Search> {
  // Written by made-secrets.ts, one JSON text per line.
  const lines = readFileSync(join(folder, 'secrets'), 'utf8').trim().split('\n')
  const secrets = new Set(lines.map((line) => JSON.parse(line) as string))
  const forms = new Set(Array.from(secrets).flatMap(formsOf))
  const logs = globSync('*.log', { cwd: folder })
  const patterns = join(folder, 'patterns')
  writeFileSync(patterns, Array.from(forms).join('\n'), { mode: 0o600 })
  const found = await grep(['-a', '-o', '-r', '-F', '-f', patterns, '--include=*.log', '.'], folder)
  rmSync(patterns)
  const bytes = logs.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  return { secrets: secrets.size, forms: forms.size, bytes, logs: logs.length, found }
}

/** As it is, in a URL, in JSON, and in Base64 at each of the three offsets in what surrounds it, each cut off. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const inBase64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replaceAll('=', '')
    // The characters at the edges also depend on what is next to the secret.
    return text.slice(offset === 0 ? 0 : offset + 1, -1)
  })
  const whole = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...inBase64]
  return whole.map((form) => form.slice(0, CUT_CHARACTERS))
}

async function grep(given: string[], cwd: string): Promise<string[]> {
  try {
    const { stdout } = await promisify(execFile)('grep', given, { cwd, maxBuffer: OUTPUT_BYTES_MAX })
    return stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/^\.\//, ''))
  } catch (error) {
    // It ends with 1 if it finds nothing.
    if ((error as { code?: unknown }).code === 1) return []
    throw error
  }
}
