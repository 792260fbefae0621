import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describedOperations } from '../support/documented.ts'
import { REPOSITORY } from '../support/markdown.ts'

test('docs/reference/api.md lists every operation', () => {
  const page = readFileSync(join(REPOSITORY, 'docs/reference/api.md'), 'utf8')
  const isListed = (row: string) => page.includes(`\`${row}\``) || page.includes(`\`${row}?`)
  const rows = describedOperations.map(
    ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
  )
  expect(rows.length).toBeGreaterThan(25)
  expect(rows.filter((row) => !isListed(row))).toEqual([])
  expect(isListed('GET /v1/nothing')).toBe(false)
})
