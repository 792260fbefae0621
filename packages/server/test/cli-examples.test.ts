import { spawnSync } from 'node:child_process'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../src/cli/program.ts'
import { COMMANDS, describeExamples, EXAMPLES } from './support/cli-examples.ts'
import { temporaryFolder } from './support/server.ts'

test('every command has an example or subcommands', () => {
  const without = COMMANDS.filter(({ examples }) => examples.length === 0).map(({ path }) => path)
  expect(without).toEqual(['scenario', 'db', 'teams', 'users', 'mailboxes', 'keys', 'webhooks'])
  expect(COMMANDS.flatMap(({ examples }) => examples).length).toBeGreaterThan(45)
})

// All of them run in cli-examples.long.test.ts, and every command in every-command.test.ts.
const MORE_THAN_WORDS = EXAMPLES.filter(({ example }) => /[|&;]|\$\(|--settings/.test(example))
describeExamples(MORE_THAN_WORDS)

/** What `mailhatch address -o env` sets. */
const ADDRESS = { MAILHATCH_ADDRESS: 'qa+1@mailhatch.test', MAILHATCH_CURSOR: 'c1' }

describe('the other examples in the help have the right words', () => {
  test.each(EXAMPLES.filter((example) => !MORE_THAN_WORDS.includes(example)))('$example', async ({ example }) => {
    for (const words of commandsIn(example)) await expect(understand(words)).resolves.toBeUndefined()
  })

  test('control: wrong words are refused', async () => {
    const [first, second] = commandsIn('mailhatch list && mailhatch wait --mailbocks qa')
    await expect(understand(first!)).resolves.toBeUndefined()
    await expect(understand(second!)).rejects.toThrow('unknown option')
  })
})

/** What a shell passes to `mailhatch` in this line, for each time it is called. */
function commandsIn(line: string): string[][] {
  const recording = `mailhatch() { printf '%s\\0' "$@" >&3; printf '\\0' >&3; }`
  const { output } = spawnSync('bash', ['-c', `${recording}; ${line}`], {
    cwd: temporaryFolder(),
    env: { PATH: process.env['PATH'] ?? '', GITHUB_ENV: '/dev/null', ...ADDRESS },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  // An empty word ends each call.
  const calls = String(output[3]).split('\0\0').slice(0, -1)
  expect(calls).not.toEqual([])
  return calls.map((call) => call.split('\0'))
}

/** Parses the words, and does nothing. */
async function understand(words: string[]): Promise<void> {
  const program = createProgram('0.0.0').configureOutput({ outputError() {} })
  for (const command of program.commands) forgetActions(command)
  await program.parseAsync(words, { from: 'user' })
}

function forgetActions(command: Command): void {
  command.action(() => {})
  for (const child of command.commands) forgetActions(child)
}
