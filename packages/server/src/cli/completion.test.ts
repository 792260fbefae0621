import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { wordsOf } from './completion.ts'
import { powershellScript } from './completion-powershell.ts'
import { bashScript, fishScript, zshScript } from './completion-scripts.ts'
import { createProgram } from './program.ts'

const WORDS = wordsOf(createProgram('0.0.0'))

/** The completions that bash offers for the last word. */
function offered(...words: string[]): string[] {
  const typed = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`
  const line = `${bashScript(WORDS)}\n${typed}; _mailhatch; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', line], { encoding: 'utf8' }).split('\n').filter(Boolean)
}

test('bash completes commands, subcommands and options', () => {
  expect(offered('mailhatch', 'wa')).toEqual(['wait'])
  expect(offered('mailhatch', 'worker', 're')).toEqual(['retry'])
  expect(offered('mailhatch', 'wait', '--mailbox', 'qa', '--ti')).toEqual(['--timeout'])
  expect(offered('mailhatch', 'keys', 'create', '--sc')).toEqual(['--scope'])
  expect(offered('mailhatch', 'teams', 'create', '--sc')).toEqual([])
  expect(offered('mailhatch', '')).toEqual(expect.arrayContaining(['serve', 'send', 'completion']))
  expect(offered('mailhatch', '')).not.toContain('exit-codes')
})

test('zsh, fish and PowerShell get the same words', () => {
  const zsh = zshScript(WORDS)
  const fish = fishScript(WORDS)
  for (const { path, words } of WORDS) {
    for (const { word } of words) {
      expect(zsh).toContain(`'${word}:`)
      expect(fish).toContain(word.startsWith('--') ? ` -l ${word.slice(2)} ` : ` -a ${word} `)
    }
    expect(zsh).toContain(`    '${path}') words_here=(`)
  }
  const tables = powershellScript(WORDS)
    .split('\n')
    .filter((line) => line.includes('[ordered]'))
  expect(tables).toHaveLength(WORDS.length)
  for (const [index, { path, words }] of WORDS.entries()) {
    // PowerShell takes typographic quotes as quotes, so none may be left.
    expect(tables[index]).toMatch(
      /^ {4}'[\w -]*' = \[ordered\]@\{ (?:'(?:[^'‘’‚‛]|'')+' = '(?:[^'‘’‚‛]|'')+'(?:; )?)* \}$/,
    )
    expect(tables[index]).toContain(`    '${path}' = `)
    for (const { word } of words) expect(tables[index]).toContain(`'${word}' = '`)
  }
  // Each line is one command with balanced quotes.
  for (const line of fish.split('\n'))
    expect(line).toMatch(/^complete -c mailhatch -n '[^']+' (-l|-f -a) [\w-]+ -d '[^']*'$/)
})
