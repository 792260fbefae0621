import { Command } from 'commander'
import { expect, test, vi } from 'vitest'
import { addListenCommand } from './listen.ts'

/** The output of the command before it contacts a server. */
async function outputOf(...words: string[]): Promise<string> {
  let output = ''
  const write = (text: string) => void (output += text)
  const program = new Command('mailhatch').exitOverride().configureOutput({ writeErr: write })
  addListenCommand(program)
  const log = vi.spyOn(console, 'log').mockImplementation(write)
  await program.parseAsync(['listen', ...words], { from: 'user' }).catch(() => null)
  log.mockRestore()
  return output
}

test('the secret is the same for each key, unless --secret is given', async () => {
  const first = await outputOf('--print-secret', '--api-key', 'one')
  expect(first).toMatch(/^whsec_[\w+/]{43}=$/)
  expect(await outputOf('--print-secret', '--api-key', 'one')).toBe(first)
  expect(await outputOf('--print-secret', '--api-key', 'two')).not.toBe(first)
  const own = 'whsec_bXkgb3duIHNlY3JldA=='
  expect(await outputOf('--print-secret', '--api-key', 'one', '--secret', own)).toBe(own)
})

test.each([
  [['--forward-to', 'ftp://localhost/'], '--forward-to'],
  [['--forward-to', 'http://'], '--forward-to'],
  [['--headers', 'no colon'], '--headers'],
  [['--headers', 'bad name: value'], '--headers'],
  [['--headers', 'X-Line: one\ntwo'], '--headers'],
  [['--replay-last', '0'], '--replay-last'],
  [['--replay-last', '201'], '--replay-last'],
  [['--replay-last', 'all'], '--replay-last'],
  [['--secret', 'password'], '--secret'],
  [['--secret', 'whsec_'], '--secret'],
])('%j is refused', async (words, option) => {
  const good = ['--print-secret', '--api-key', 'one']
  expect(await outputOf(...good, ...words)).toMatch(new RegExp(`^error: option '${option} .* is invalid`, 's'))
})

test.each([
  ['--forward-to', 'localhost:3000/hook'],
  ['--forward-to', 'https://localhost/'],
  ['--headers', 'X-One: 1', 'X-Two: a: b'],
  ['--replay-last', '1'],
  ['--replay-last', '200'],
])('%s %s is accepted', async (...words) => {
  expect(await outputOf('--print-secret', '--api-key', 'one', ...words)).toMatch(/^whsec_/)
})
