import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/markdown.ts'
import { missingTests, namedTests } from '../support/named-tests.ts'

const ROWS = namedTests(readFileSync(join(REPOSITORY, 'docs/internals/rules.md'), 'utf8'))

test('every test that the rules page names exists', () => {
  expect(ROWS.length).toBeGreaterThan(150)
  expect(ROWS.flatMap(missingTests)).toEqual([])
})

test('control: a file that does not exist is found', () => {
  const renamed = ROWS.flatMap(({ files }) => files.map((file) => file.replace('.ts', '-renamed.ts')))
  expect(renamed.flatMap((file) => missingTests({ files: [file], titles: ['…'] }))).toEqual(renamed)
})

test('control: a title that the file does not have is found, wherever it differs', () => {
  const file = 'server/test/docs/rules.test.ts'
  const title = 'control: a title that the file does not have is found, wherever it differs'
  expect(missingTests({ files: [file], titles: [title, 'control: a title …'] })).toEqual([])
  const others = [
    title.replace('that', 'which'),
    title.slice(0, -1),
    `${title} today`,
    'control: a heading …',
    'a title …',
  ]
  expect(missingTests({ files: [file], titles: others })).toEqual(others)
})

test('control: each title of the page is missed when it is renamed in its first word', () => {
  const rows = ROWS.map(({ files, titles }) => ({
    files,
    titles: titles.filter((title) => title !== '…').map((title) => title.replace(/[a-z]{3,}/i, (word) => `${word}~`)),
  }))
  expect(rows.flatMap(missingTests)).toEqual(rows.flatMap(({ titles }) => titles))
})
