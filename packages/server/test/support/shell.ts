import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAILHATCH = fileURLToPath(new URL('../../bin/mailhatch.js', import.meta.url))
/** A line takes a second or two. One that does not end must not outlive its test. */
const RUN_MS_MAX = 120_000

export type Ended = { code: number | null; stdout: string; stderr: string }

/** A folder to run commands in, with `mailhatch` in the path and nothing of the tester's environment. */
export function createShell(folder: string, environment: Record<string, string>) {
  const { PATH = '' } = process.env
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'mailhatch'), `#!/bin/sh\nexec '${process.execPath}' '${MAILHATCH}' "$@"\n`)
  chmodSync(join(bin, 'mailhatch'), 0o755)
  const settings = { HOME: folder, PATH: `${bin}${delimiter}${PATH}`, ...environment }

  /** Starts a command line as a user would type it. */
  function start(line: string, further: Record<string, string> = {}) {
    // In its own process group, so that everything that the line starts can be stopped.
    const child = spawn('bash', ['-o', 'pipefail', '-c', line], {
      cwd: folder,
      env: { ...settings, ...further },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const stop = (signal: NodeJS.Signals) => {
      try {
        process.kill(-child.pid!, signal)
      } catch {
        // It has already ended.
      }
    }
    const output = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
    const deadline = setTimeout(() => stop('SIGKILL'), RUN_MS_MAX)
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, ...output }))
    }).finally(() => clearTimeout(deadline))
    return { output, ended, stop }
  }

  return { start, run: (line: string, further?: Record<string, string>) => start(line, further).ended }
}
