import { vi } from 'vitest'
import { withCommand } from '../../src/cli/default-command.ts'
import { createProgram } from '../../src/cli/program.ts'
import { runCommandLine } from '../../src/cli/run.ts'
import { madeSecretsIn } from './made-secrets.ts'

let previous: Promise<unknown> = Promise.resolve()

/** One at a time: commands share the environment and the console of this process. */
function inTurn<Result>(environment: Record<string, string>, work: () => Promise<Result>): Promise<Result> {
  const result = previous.then(async () => {
    // A command gives DATA_DIR the value that wins, so it is restored too.
    const before = new Map(['DATA_DIR', ...Object.keys(environment)].map((name) => [name, process.env[name]]))
    Object.assign(process.env, environment)
    try {
      return await work()
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    }
  })
  previous = result.catch(() => {})
  return result
}

/**
 * Runs a command in this process and resolves to what it printed; rejects as it fails. For tests of many commands, because
 * a process of its own takes half a second each.
 */
export function runHere(words: string[], environment: Record<string, string>): Promise<string> {
  return inTurn(environment, () => printedBy(words))
}

async function printedBy(words: string[]): Promise<string> {
  const printed: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
  const usage = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    await createProgram('0.0.0').parseAsync(withCommand(words), { from: 'user' })
    madeSecretsIn(printed.join('\n'))
    return printed.join('\n')
  } finally {
    log.mockRestore()
    usage.mockRestore()
  }
}

export type Printed = { code: number; stdout: string; stderr: string }

/** The same with the exit code and all output, as the program ends. Not for servers. By default in this environment and folder. */
export function runToExit(
  words: string[],
  environment: Record<string, string> = {},
  folder = process.cwd(),
): Promise<Printed> {
  return inTurn(environment, async () => {
    const before = process.cwd()
    process.chdir(folder)
    try {
      return await untilExit(words)
    } finally {
      process.chdir(before)
    }
  })
}

/** Like a shell for lines with one command and its words, which may be in double quotes. Relative paths are in the folder. */
export function createCommands(folder: string, environment: Record<string, string>) {
  return {
    run(line: string, further: Record<string, string> = {}): Promise<Printed> {
      const [name, ...words] = Array.from(line.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, word]) => quoted ?? word!)
      if (name !== 'mailhatch') throw new Error(`This needs a shell: ${line}`)
      return runToExit(words, { ...environment, ...further }, folder)
    },
  }
}

async function untilExit(words: string[]): Promise<Printed> {
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
