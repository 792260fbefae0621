import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ERROR_STATUS } from '../src/domain/errors.ts'

const SOURCE = join(import.meta.dirname, '../src')

test('docs/errors.md lists every error code with its status, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/errors.md'), 'utf8')
  const rows = Array.from(page.matchAll(/^\| `(\w+)` \| ([\d, ]+) \|/gm), ([, code, status]) => [code, status])
  expect(rows.map(([code]) => code).sort()).toEqual(Object.keys(ERROR_STATUS).sort())
  for (const [code, status] of rows) {
    expect(status!.split(', '), code).toContain(String(ERROR_STATUS[code as keyof typeof ERROR_STATUS]))
  }
})

test('every error code is used', () => {
  const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    // The list of codes and the documentation do not count.
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|^domain\/errors\.ts$|^http\/reference\//.test(file))
    .map((file) =>
      readFileSync(join(SOURCE, file), 'utf8').replaceAll(/\b(?:errors:|_ERRORS: Failure\[\] =) \[[^\]]*\]/g, ''),
    )
    .join('\n')
  expect(Object.keys(ERROR_STATUS).filter((code) => !sources.includes(`'${code}'`))).toEqual([])
})
