import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')

/** The parts whose English was reviewed against STYLE.md. */
const REVIEWED = [
  'packages/dashboard/index.html',
  'packages/dashboard/src',
  'packages/sdk/README.md',
  'packages/server/README.md',
  'packages/server/bin',
  'packages/sdk/src',
  'packages/sdk/test',
  'packages/server/src/cli.ts',
  'packages/server/src/cli',
  'packages/server/src/bucket',
  'packages/server/src/domain',
  'packages/server/src/feed',
  'packages/server/src/http',
  'packages/server/src/intake',
  'packages/server/src/manage',
  'packages/server/src/mcp',
  'packages/server/src/mime',
  'packages/server/src/notify',
  'packages/server/src/observe',
  'packages/server/src/program',
  'packages/server/src/read',
  'packages/server/src/retention',
  'packages/server/src/sqlite',
  'packages/server/src/store',
  'packages/server/src/worker',
  'bench',
  'deploy',
  'examples',
  'scripts',
  'docs',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
]

/** Here only comments and titles count: mailboxes and mail of tests may have any name and text. */
const TESTS = 'packages/server/test'
const COMMENT_OR_TITLE = /^\s*(?:\/\/|\/?\*|(?:test|describe)\b|\]\)\()/

const TEXT_FILE = /\.(?:tsx?|js|sql|md|html|css|ya?ml|toml|ini|example)$|\/(?:Caddyfile|Dockerfile)$/
/** Installed or generated files, and lists of names, one of which is `nobody`. */
const SKIPPED = /\/(?:node_modules|dist|test-results|playwright-report)\/|\/reserved-names\./

const words = readWords()
const pattern = new RegExp(String.raw`\b(?:${words.join('|')})\b(?![@'])`, 'i')

/** The list in STYLE.md. */
function readWords(): string[] {
  const [, list = ''] = /^A test refuses these words[^:]*:\s+([^]*?)\.\n/m.exec(read('STYLE.md')) ?? []
  return list.split(/,\s+/).map((word) => word.replaceAll(/\s+/g, String.raw`\s+`))
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

function filesIn(path: string): string[] {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path]
  const names = readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
  return names.map((name) => join(path, name)).filter((file) => TEXT_FILE.test(file) && !SKIPPED.test(`/${file}`))
}

function findIn(text: string, kind = /^/): string[] {
  return text.split('\n').filter((line) => kind.test(line) && pattern.test(line))
}

test('the reviewed parts avoid the words that STYLE.md lists', () => {
  const files = REVIEWED.flatMap(filesIn)
  expect(files.length).toBeGreaterThan(300)
  expect(files.flatMap((file) => findIn(read(file)).map((line) => `${file}: ${line.trim()}`))).toEqual([])
})

test('comments and titles of tests avoid these words too', () => {
  const files = filesIn(TESTS).filter((file) => !file.endsWith('plain-english.test.ts'))
  expect(files.length).toBeGreaterThan(200)
  const found = files.flatMap((file) => findIn(read(file), COMMENT_OR_TITLE).map((line) => `${file}: ${line.trim()}`))
  expect(found).toEqual([])
})

test('control: each of the words is found, and a user named nobody is not', () => {
  expect(words.length).toBeGreaterThan(5)
  for (const word of words) expect(findIn(`// ${word.replaceAll(String.raw`\s+`, ' ')} it is.`)).toHaveLength(1)
  expect(findIn(`run('nobody', 'nobody@mailhatch.test')`)).toEqual([])
  const odd = [
    '  // whoever',
    '/** whoever */',
    ' * whoever',
    "test('whoever comes', () => {",
    "])('whoever comes', () => {",
  ]
  expect(findIn([...odd, "  await send('whoever comes')"].join('\n'), COMMENT_OR_TITLE)).toEqual(odd)
})
