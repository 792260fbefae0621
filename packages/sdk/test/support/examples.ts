import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackedSdk } from './packed-sdk.ts'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const SPECS = fileURLToPath(new URL('../kits', import.meta.url))

/** A run takes minutes on a busy machine; a longer one hangs. */
const RUN_MS_MAX = 280_000
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

/** Copies the examples and installs the packed SDK, as users would; other packages come from this checkout. */
export async function installExamples(folder: string): Promise<void> {
  await installPackedSdk(folder)
  const modules = join(folder, 'node_modules')
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!existsSync(join(modules, name))) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true, filter: (path) => !isOutput(path) })
}

/** Adds our tests to an example. Those for Vitest have a different name here, so that Vitest does not run them. */
export function addSpecs(folder: string, specs: Record<string, string>): void {
  for (const [from, to] of Object.entries(specs)) {
    mkdirSync(join(folder, 'examples', to, '..'), { recursive: true })
    cpSync(join(SPECS, from), join(folder, 'examples', to))
  }
}

export type Ended = { code: number; stdout: string; stderr: string }

/** Runs a command in the folder of an example; resolves with any exit code. */
export function runExample(
  folder: string,
  command: string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env
  const [program, ...words] = command
  const options = {
    cwd: folder,
    // A clean environment: variables of the outer test runner would affect the inner one.
    env: { PATH, HOME, NO_COLOR: '1', ...environment },
    timeout: RUN_MS_MAX,
    maxBuffer: OUTPUT_BYTES_MAX,
  }
  return new Promise((resolve) => {
    execFile(program!, words, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr })
    })
  })
}

const isOutput = (path: string): boolean => /\/(playwright-report|test-results|\.vitest)$/.test(path)
