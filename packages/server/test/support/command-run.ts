import { runCommandLine } from '../../src/cli/run.ts'

export type Printed = { code: number; stdout: string; stderr: string }

/** Runs `mailhatch <words>` in this process: a process of its own takes half a second. Not for servers. */
export async function runHere(words: string[]): Promise<Printed> {
  const printed: Printed = { code: 0, stdout: '', stderr: '' }
  const { log, error } = console
  const writeOut = process.stdout.write
  const writeError = process.stderr.write
  console.log = (text: string) => void (printed.stdout += `${text}\n`)
  console.error = (text: string) => void (printed.stderr += `${text}\n`)
  process.stdout.write = (text: string | Uint8Array) => ((printed.stdout += String(text)), true)
  process.stderr.write = (text: string | Uint8Array) => ((printed.stderr += String(text)), true)
  const before = process.exitCode
  process.exitCode = 0
  try {
    await runCommandLine('0.0.0', words)
    printed.code = exitCode()
  } finally {
    Object.assign(console, { log, error })
    process.stdout.write = writeOut
    process.stderr.write = writeError
    process.exitCode = before
  }
  return printed
}

/** Its type does not know that a command has set it. */
function exitCode(): number {
  return Number(process.exitCode ?? 0)
}
