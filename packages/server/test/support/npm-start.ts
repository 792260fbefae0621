import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, vi } from 'vitest'
import { node20 } from '../../../sdk/test/support/node-20.ts'
import { temporaryFolder } from './server.ts'

const BIN = fileURLToPath(new URL('../../bin', import.meta.url))
/** Prints its process id, and runs until it is stopped. */
const PROGRAM = 'console.log(`started ${process.pid}`); setInterval(() => {}, 1_000)'
/** npm and up to two Nodes start. */
const START = { timeout: 100_000 }
/** The program looks twice a second. */
export const STOP = { timeout: 60_000 }

/** How people start Mailhatch with npm, and the scripts that this needs. */
export const WAYS: [string, Record<string, string>?][] = [
  ['npx mailhatch'],
  ['npx --no mailhatch serve --catch-all --port 0'],
  ['npm exec mailhatch -- --port 0'],
  ['npm start', { start: 'mailhatch serve --port 0' }],
  ['npm run mail', { mail: 'node node_modules/mailhatch/bin/mailhatch.js serve' }],
]
/** They end npm, which forwards only the first, and only to its shell. SIGINT does not end npm before its program has ended. */
export const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGKILL'] as const

type Case = { way: string; scripts?: Record<string, string>; signal: (typeof SIGNALS)[number]; isOld: boolean }

/** Starts the program in this way, sends the signal to npm alone, and waits until the program has ended. */
export async function expectStop({ way, scripts, signal, isOld }: Case): Promise<void> {
  const { child, program } = await startByNpm(way, scripts, isOld)
  expect(isAlive(program)).toBe(true)
  child.kill(signal)
  await vi.waitFor(() => expect(isAlive(program)).toBe(false), STOP)
}

/** A project that has installed the launcher, with a small program behind it, and has these scripts. */
function createProject(scripts: Record<string, string>): string {
  const folder = temporaryFolder()
  const installed = join(folder, 'node_modules/mailhatch')
  cpSync(BIN, join(installed, 'bin'), { recursive: true })
  mkdirSync(join(installed, 'dist'))
  writeFileSync(join(installed, 'dist/cli.js'), PROGRAM)
  writeFileSync(join(installed, 'package.json'), '{ "name": "mailhatch", "version": "1.0.0", "type": "module" }')
  mkdirSync(join(folder, 'node_modules/.bin'))
  symlinkSync('../mailhatch/bin/mailhatch.js', join(folder, 'node_modules/.bin/mailhatch'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, scripts }))
  // What the launcher would install on an old Node.
  const [, version] = /VERSION = '(.+)'/.exec(readFileSync(join(BIN, 'newer-node.js'), 'utf8'))!
  mkdirSync(join(folder, 'cache/mailhatch'), { recursive: true })
  symlinkSync(process.execPath, join(folder, 'cache/mailhatch', `node-${version}-${process.arch}`))
  return folder
}

export async function startByNpm(way: string, scripts: Record<string, string> = {}, isOld = false) {
  const folder = createProject(scripts)
  const node = isOld ? await node20() : process.execPath
  const [command, ...words] = way.split(' ')
  const child = spawn(command!, words, {
    cwd: folder,
    env: {
      PATH: `${dirname(node)}:${process.env['PATH']}`,
      HOME: process.env['HOME'] ?? '',
      XDG_CACHE_HOME: join(folder, 'cache'),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let printed = ''
  child.stdout.on('data', (text: Buffer) => (printed += text.toString()))
  let program = 0
  onTestFinished(() => {
    child.stdout.destroy()
    child.kill('SIGKILL')
    if (program > 0 && isAlive(program)) process.kill(program, 'SIGKILL')
  })
  program = await vi.waitFor(() => Number(/started (\d+)/.exec(printed)![1]), START)
  return { child, program }
}

export function isAlive(pid: number): boolean {
  try {
    // A process that has ended and was not reaped is a zombie.
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}
