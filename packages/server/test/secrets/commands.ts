import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../support/program.ts'

/** Commands that print no secret on purpose. */
const COMMANDS = [
  ['list'],
  ['whoami'],
  ['status'],
  ['ready'],
  ['doctor'],
  ['doctor', '--deep'],
  ['get'],
  ['mailboxes', 'list'],
  ['keys', 'list'],
  ['users', 'list'],
  ['wait', '--new', '--timeout', '1'],
]

type Server = { url: string; key: string; dataDir: string }

/** Runs commands against a server, and keeps what they print. Resolves to the number of those that succeed. */
export async function runCommands(folder: string, { url, key, dataDir }: Server): Promise<number> {
  let succeeded = 0
  for (const [number, words] of COMMANDS.entries()) {
    const environment = { MAILHATCH_URL: url, MAILHATCH_API_KEY: key, DATA_DIR: dataDir, LOG_LEVEL: 'debug' }
    const { code, stdout } = await run(words, environment)
    if (code === 0) succeeded++
    appendFileSync(join(folder, `stdout-command-${number}.log`), `${words.join(' ')}\n${stdout}`)
  }
  return succeeded
}
