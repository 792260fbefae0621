import { readFileSync } from 'node:fs'
import { runCommandLine } from './cli/run.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

// A failed start may leave sockets or timers open, so exit explicitly.
if (!(await runCommandLine(version, process.argv.slice(2)))) process.exit()
