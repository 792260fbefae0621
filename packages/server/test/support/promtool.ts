import { execFile } from 'node:child_process'
import { findProgram } from './debian-package.ts'

export type Checked = { code: number; output: string }

let found: Promise<string> | null = null

/** Runs the checker of Prometheus, with this text as its input. Installs Debian's package if it is missing. */
export async function promtool(words: string[], input = ''): Promise<Checked> {
  const program = await (found ??= find())
  return new Promise((resolve, reject) => {
    const child = execFile(program, words, (error, stdout, stderr) => {
      // Without a code it could not be started.
      if (error && typeof error.code !== 'number') reject(error)
      else resolve({ code: Number(error?.code ?? 0), output: stdout + stderr })
    })
    child.stdin!.end(input)
  })
}

async function find(): Promise<string> {
  const given = process.env['PROMTOOL_PATH']
  if (given !== undefined) return given
  return findProgram(['/usr/bin/promtool', '/usr/local/bin/promtool'], 'prometheus').catch((error: unknown) => {
    throw new Error('promtool is missing. Install it (Debian: apt-get install prometheus) or set PROMTOOL_PATH.', {
      cause: error,
    })
  })
}
