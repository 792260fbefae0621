import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/markdown.ts'
import { PARTS } from './parts.ts'
import { atLeast, atMost, counted, prove, type Proof } from './proof.ts'
import { reliabilityPage } from './reliability-page.ts'

const HERE = join(REPOSITORY, 'packages/server/test/prove')
const RESULTS = join(REPOSITORY, 'docs/operate/reliability.json')

const PROOF: Proof = {
  claim: 'No mail is lost.',
  tried: 'Ten mails.',
  figures: [atMost(0, 'mails lost', 0), atLeast(10, 'mails', 10), counted('bytes', 1_234)],
  control: { tried: 'A mail is removed.', figures: [atLeast(1, 'mails lost', 1)] },
}

test('every part has a file, and every file is a part', () => {
  const files = globSync('*.prove.ts', { cwd: HERE }).toSorted()
  expect(files).toEqual(PARTS.map(({ name }) => `${name}.prove.ts`).toSorted())
})

test('without the soak, the parts take at most an hour', () => {
  const regular = PARTS.filter(({ isOnlyByName }) => !isOnlyByName)
  expect(regular.reduce((sum, { minutes }) => sum + minutes, 0)).toBeLessThanOrEqual(60)
})

test('the page has what the last run found', () => {
  expect(existsSync(RESULTS)).toBe(true)
  const page = reliabilityPage(JSON.parse(readFileSync(RESULTS, 'utf8')))
  expect(readFileSync(join(REPOSITORY, 'docs/operate/reliability.md'), 'utf8')).toBe(page)
})

test('a proof with all figures within their limits is accepted', () => {
  expect(() => prove(PROOF)).not.toThrow()
})

test.each<[string, Partial<Proof>]>([
  ['too much', { figures: [atMost(0, 'mails lost', 1)] }],
  ['too little', { figures: [atLeast(10, 'mails', 9)] }],
  ['not a number', { figures: [atMost(0, 'mails lost', NaN)] }],
  ['a control that finds nothing', { control: { tried: '', figures: [atLeast(1, 'mails lost', 0)] } }],
  ['a control without limits', { control: { tried: '', figures: [counted('mails lost', 1)] } }],
  ['no control', { control: { tried: '', figures: [] } }],
  ['a limit without a control', { figures: [...PROOF.figures, atMost(0, 'mails stored twice', 0)] }],
  ['a control below the limit', { figures: [atMost(1, 'mails lost', 0)] }],
])('a proof is refused: %s', (_, change) => {
  expect(() => prove({ ...PROOF, ...change })).toThrow(PROOF.claim)
})

test('the page shows figures, limits, controls and what failed', () => {
  const machine = { node: '24', platform: 'linux', processor: 'One', cores: 2, memoryGigabytes: 8 }
  const found = { date: '2026-01-01', commit: 'abc', machine, seed: 7, seconds: 100 }
  const figures = [atMost(0, 'mails lost', 2), ...PROOF.figures]
  const page = reliabilityPage({
    [PARTS[0]!.name]: { ...found, outcome: 'passed', reasons: [], proofs: [PROOF] },
    [PARTS[1]!.name]: { ...found, outcome: 'failed', reasons: ['It was lost.'], proofs: [{ ...PROOF, figures }] },
  })
  expect(page).toContain(`| [${PARTS[0]!.title}](#${PARTS[0]!.name}) | passed | 2026-01-01 | abc | 7 | 2 min |`)
  expect(page).toContain('| **FAILED** |')
  expect(page).toContain('- It was lost.')
  expect(page).toContain('| mails lost | 0 | at most 0 |')
  expect(page).toContain('| mails lost | 2 **outside** | at most 0 |')
  expect(page).toContain('| bytes | 1,234 |  |')
  expect(page).toContain('| control: mails lost | 1 | at least 1 |')
  expect(page).toContain('| not run yet |')
})
