import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NEWEST_SCHEMA as NEWEST_POSTGRES_SCHEMA } from '../../src/store/postgres-schema.ts'
import { NEWEST_SCHEMA } from '../../src/store/sqlite-migrations.ts'
import { REPOSITORY } from '../support/markdown.ts'
import { checkPreviousSchema } from '../support/previous-schema.ts'
import { inLanes, minutesFor, PARTS, type Part } from './parts.ts'
import { atLeast, atMost, brokenIn, counted, none, prove, some, uncheckedIn, type Proof } from './proof.ts'
import { reliabilityPage, type PartResult, type Results } from './reliability-page.ts'

const HERE = join(REPOSITORY, 'packages/server/test/prove')
const STORED: Results = JSON.parse(readFileSync(join(REPOSITORY, 'docs/operate/reliability.json'), 'utf8'))

const PROOF: Proof = {
  claim: 'No mail is lost.',
  tried: 'Ten mails.',
  figures: [atMost(0, 'messages lost', 0), atLeast(10, 'messages', 10), counted('bytes', 1_234)],
  control: { tried: 'A mail is removed.', figures: [atLeast(1, 'messages lost', 1)] },
}

const MACHINE = { node: '24', platform: 'linux', processor: 'One', cores: 2, memoryGigabytes: 8 }

function resultOf(proof: Proof): PartResult {
  const found = { date: '2026-01-01', commit: 'abc', machine: MACHINE, seed: 7, seconds: 100 }
  return { ...found, outcome: 'passed', reasons: [], proofs: [proof] }
}

test('every part has a file, and every file is a part', () => {
  const files = globSync('*.prove.ts', { cwd: HERE }).toSorted()
  expect(files).toEqual(PARTS.map(({ name }) => `${name}.prove.ts`).toSorted())
})

test('without the soak, the parts take at most an hour', () => {
  const regular = PARTS.filter(({ isOnlyByName }) => !isOnlyByName)
  expect(minutesFor(regular)).toBeLessThanOrEqual(60)
})

test('two parts run at once, and those that need to be alone afterwards', async () => {
  const parts = (['a', 'b', 'c', 'alone', 'd'] as const).map((name): Part => {
    return { name, title: name, minutes: 1, ...(name === 'alone' && { isAlone: true }) }
  })
  const events: string[] = []
  await inLanes(parts, async ({ name }) => {
    events.push(`${name} begins`)
    await new Promise(setImmediate)
    events.push(`${name} ends`)
  })
  expect(events.slice(0, 4)).toEqual(['a begins', 'b begins', 'a ends', 'c begins'])
  expect(events.slice(-2)).toEqual(['alone begins', 'alone ends'])
  expect(minutesFor(parts)).toBe(3)
})

test('a part whose file has no seed is declared so', () => {
  const unseeded = PARTS.filter(({ name }) => !/\bSEED\b/.test(readFileSync(join(HERE, `${name}.prove.ts`), 'utf8')))
  expect(PARTS.filter(({ isUnseeded }) => isUnseeded)).toEqual(unseeded)
})

test('the page has what the last run found', () => {
  expect(readFileSync(join(REPOSITORY, 'docs/operate/reliability.md'), 'utf8')).toBe(reliabilityPage(STORED))
})

/** What `prove()` would refuse today, and parts that there are no more. */
function outdatedIn(results: Results): string[] {
  return Object.entries(results).flatMap(([name, { outcome, proofs }]) => [
    ...(PARTS.some((part) => part.name === name) ? [] : [`${name}: no part`]),
    ...proofs.flatMap(uncheckedIn).map((figure) => `${name}: ${figure} has no control`),
    ...(outcome === 'passed' ? proofs.flatMap(brokenIn) : []).map((figure) => `${name}: ${figure.name} is outside`),
  ])
}

test('every result on the page keeps the rules of today', () => {
  expect(outdatedIn(STORED)).toEqual([])
})

test('control: a result from before a rule is found', () => {
  const withoutControl = { ...PROOF, control: { tried: '', figures: [] } }
  const outside = { ...PROOF, figures: [atMost(0, 'messages lost', 1)] }
  const results = { kill: resultOf(withoutControl), smtp: resultOf(outside), gone: resultOf(PROOF) }
  expect(outdatedIn(results)).toEqual([
    'kill: messages lost has no control',
    'smtp: messages lost is outside',
    'gone: no part',
  ])
  expect(outdatedIn({ kill: resultOf(PROOF), smtp: { ...resultOf(outside), outcome: 'failed' } })).toEqual([])
})

test('the previous schema, of which a backup is restored, is the one before the newest', () => {
  checkPreviousSchema(NEWEST_SCHEMA)
  checkPreviousSchema(NEWEST_POSTGRES_SCHEMA)
  expect(() => checkPreviousSchema(NEWEST_SCHEMA + 1)).toThrow('set PREVIOUS_SCHEMA')
})

test('a proof with all figures within their limits is accepted', () => {
  expect(() => prove(PROOF)).not.toThrow()
})

test.each<[string, Partial<Proof>]>([
  ['too much', { figures: [atMost(0, 'messages lost', 1)] }],
  ['too little', { figures: [atLeast(10, 'messages', 9)] }],
  ['not a number', { figures: [atMost(0, 'messages lost', NaN)] }],
  ['a control that finds nothing', { control: { tried: '', figures: [atLeast(1, 'messages lost', 0)] } }],
  ['a control without limits', { control: { tried: '', figures: [counted('messages lost', 1)] } }],
  ['no control', { control: { tried: '', figures: [] } }],
  ['a limit without a control', { figures: [...PROOF.figures, atMost(0, 'messages stored twice', 0)] }],
  ['a control below the limit', { figures: [atMost(1, 'messages lost', 0)] }],
])('a proof is refused: %s', (_, change) => {
  expect(() => prove({ ...PROOF, ...change })).toThrow(PROOF.claim)
})

test('a failed proof names the first five of what was found, and so does the page', () => {
  const lost = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6']
  const proof = { ...PROOF, figures: [none('messages lost', lost)] }
  expect(() => prove(proof)).toThrow('"items":["m1","m2","m3","m4","m5"]')
  expect(reliabilityPage({ kill: { ...resultOf(proof), outcome: 'failed' } })).toContain(
    '| messages lost | 6 **outside**<br>m1<br>m2<br>m3<br>m4<br>m5 | at most 0 |',
  )
  expect(() => prove({ ...PROOF, figures: [none('messages lost', [])] })).not.toThrow()
  expect(some('messages lost', lost)).toEqual(atLeast(1, 'messages lost', 6))
})

test('the page shows figures, limits, controls and what failed', () => {
  const figures = [atMost(0, 'messages lost', 2), ...PROOF.figures]
  const page = reliabilityPage({
    [PARTS[0]!.name]: resultOf(PROOF),
    [PARTS[1]!.name]: { ...resultOf({ ...PROOF, figures }), outcome: 'failed', reasons: ['It was lost.'] },
  })
  expect(page).toContain(`| [${PARTS[0]!.title}](#${PARTS[0]!.name}) | passed | 2026-01-01 | abc | 7 | 2 min |`)
  expect(page).toContain('| **FAILED** |')
  expect(page).toContain('- It was lost.')
  expect(page).toContain('| messages lost | 0 | at most 0 |')
  expect(page).toContain('| messages lost | 2 **outside** | at most 0 |')
  expect(page).toContain('| bytes | 1,234 |  |')
  expect(page).toContain('| control: messages lost | 1 | at least 1 |')
  expect(page).toContain('| not run yet |')
})

test('the page says above its table how many parts passed, and of which commits they are', () => {
  const passed = resultOf(PROOF)
  const failed: PartResult = { ...passed, outcome: 'failed' }
  const others = PARTS.length - 2
  expect(reliabilityPage({})).toContain(
    `**Of ${PARTS.length} parts, 0 passed, 0 failed, 0 not possible where they ran, and ${PARTS.length} not run.**`,
  )
  expect(reliabilityPage({ kill: passed, smtp: failed })).toContain(
    `1 passed, 1 failed, 0 not possible where they ran, and ${others} not run; all results are of one commit, abc.**`,
  )
  expect(reliabilityPage({ kill: passed, smtp: { ...passed, commit: 'def', outcome: 'not possible' } })).toContain(
    `1 passed, 0 failed, 1 not possible where they ran, and ${others} not run; the results are NOT of one commit, but of 2: abc, def.**`,
  )
})

test('the page has no seed for a part that draws nothing from it', () => {
  const page = reliabilityPage({ kill: resultOf(PROOF), restarts: resultOf(PROOF) })
  expect(page).toContain('(#kill) | passed | 2026-01-01 | abc | 7 |')
  expect(page).toContain('(#restarts) | passed | 2026-01-01 | abc | none |')
})
