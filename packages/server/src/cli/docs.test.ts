import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandTree, type CommandEntry, type OptionEntry } from './command-tree.ts'
import { EXIT } from './failure.ts'
import { createProgram } from './program.ts'

const PAGE = join(import.meta.dirname, '../../../../docs/reference/cli.md')
const REFERENCE = '## Commands\n'

test('docs/reference/cli.md lists the current commands; to update it: vitest run cli/docs.test.ts -u', async () => {
  const [written = ''] = readFileSync(PAGE, 'utf8').split(REFERENCE)
  const sections = commandTree(createProgram('0.0.0')).map(sectionOf)
  await expect(`${written}${REFERENCE}\n${sections.join('\n')}`).toMatchFileSnapshot(PAGE)
})

test('docs/reference/cli.md lists every exit code', () => {
  const page = readFileSync(PAGE, 'utf8')
  for (const code of Object.values(EXIT)) expect(page).toContain(`\n| ${code} | `)
})

function sectionOf({ usage, description, options, examples }: CommandEntry): string {
  // Options that the environment can set are shared by all commands and described above.
  const own = options.filter(({ variable }) => variable === null)
  const table = own.length === 0 ? [] : ['| option | |', '|---|---|', ...own.map(rowOf), '']
  const shown = examples.length === 0 ? [] : ['```sh', ...examples, '```', '']
  return [`### \`${usage}\``, '', escaped(description), '', ...table, ...shown].join('\n')
}

function rowOf({ flags, description, default: fallback, choices }: OptionEntry): string {
  const oneOf = choices.length === 0 ? '' : `: ${choices.join(', ')}`
  const otherwise = fallback === null || fallback === '' ? '' : ` (default: ${fallback})`
  return `| \`${flags}\` | ${escaped(`${description}${oneOf}${otherwise}`)} |`
}

/** Outside of code, `<` would start an HTML tag. */
function escaped(text: string): string {
  return text.replaceAll('<', '&lt;')
}
