import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/markdown.ts'

const SERVER = join(REPOSITORY, 'packages/server')

/** Lines of the map, such as `  src/assemble*.ts   …`, and paths in the text, such as `worker/receive` or `src/intake/intake.ts`. */
const NAMED_SOURCE = /^ {2}((?:bin|src|test)\/\S*)|`(?:packages\/server\/)?((?:src\/)?[a-z]+\/[\w/.*-]+)`/gm

function missingSources(page: string): string[] {
  const named = Array.from(page.matchAll(NAMED_SOURCE), ([, inMap, inText]) => (inMap ?? inText)!)
  return named.filter(
    (path) => globSync([path, `${path}.ts`, `src/${path}`, `src/${path}.ts`], { cwd: SERVER }).length === 0,
  )
}

test('every file and folder that ARCHITECTURE.md names exists', () => {
  const page = readFileSync(join(REPOSITORY, 'ARCHITECTURE.md'), 'utf8')
  expect(Array.from(page.matchAll(NAMED_SOURCE)).length).toBeGreaterThan(35)
  expect(missingSources(page)).toEqual([])
})

test('control: files and folders that do not exist are found', () => {
  const page =
    '  src/gone/   a folder\n  src/domain/   rules\n\nSee `worker/receive`, `read/gone.ts` and `packages/server/src/gone.ts`.'
  expect(missingSources(page)).toEqual(['src/gone/', 'read/gone.ts', 'src/gone.ts'])
})
