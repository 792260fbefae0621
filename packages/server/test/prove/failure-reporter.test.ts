import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import proveConfig from '../../../../vitest.prove.config.ts'
import { REPOSITORY } from '../support/markdown.ts'
import { temporaryFolder } from '../support/server.ts'
import type { ResultLine } from './proof.ts'

const REPORTER = './packages/server/test/prove/failure-reporter.ts'

/** One file for each place where a part can fail, and one that does not. Vitest's functions are global there. */
const PARTS = {
  import: `test('never runs', () => {}); await Promise.reject(new Error('at import'))`,
  beforeAll: `beforeAll(() => { throw new Error('in beforeAll') }); test('never runs', () => {})`,
  afterAll: `afterAll(() => { throw new Error('in afterAll') }); test('passes', () => {})`,
  suite: `describe('A suite', () => { beforeAll(() => { throw new Error('in a suite') }); test('never runs', () => {}) })`,
  beforeEach: `beforeEach(() => { throw new Error('in beforeEach') }); test('Never begins', () => {})`,
  test: `test('Fails', () => { throw new Error('in a test\\nwith more lines') })`,
  unhandled: `test('passes', async () => { void Promise.reject(new Error('unhandled')); await new Promise(setImmediate) })`,
  passes: `test('passes', () => {})`,
}

test('the page gets the reason wherever a part fails', async () => {
  expect(proveConfig.test!.reporters).toContain(REPORTER)
  const folder = temporaryFolder()
  for (const [name, code] of Object.entries(PARTS)) writeFileSync(join(folder, `${name}.part.js`), code)
  const config = {
    root: folder,
    test: { globals: true, include: ['*.part.js'], reporters: [join(REPOSITORY, REPORTER)] },
  }
  writeFileSync(join(folder, 'vitest.config.js'), `export default ${JSON.stringify(config)}`)
  const results = join(folder, 'results')
  const vitest = join(REPOSITORY, 'node_modules/vitest/vitest.mjs')
  const run = promisify(execFile)(process.execPath, [vitest, 'run', '--root', folder, '--no-isolate'], {
    env: { PATH: process.env['PATH'], PROVE_RESULTS: results },
  })
  await expect(run).rejects.toMatchObject({ code: 1 })
  const lines = readFileSync(results, 'utf8').trim().split('\n')
  // Written by the reporter.
  const failures = lines.map((line) => (JSON.parse(line) as Extract<ResultLine, { failure: string }>).failure)
  expect(failures.toSorted()).toEqual([
    'A suite: in a suite',
    'Before or after its tests: at import',
    'Before or after its tests: in afterAll',
    'Before or after its tests: in beforeAll',
    'Fails: in a test',
    'Never begins: in beforeEach',
    'Outside its tests: unhandled',
  ])
})
