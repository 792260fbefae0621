import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NEWEST_SCHEMA as NEWEST_POSTGRES_SCHEMA } from '../../src/store/postgres-schema.ts'
import { NEWEST_SCHEMA } from '../../src/store/sqlite-migrations.ts'
import { REPOSITORY } from '../support/markdown.ts'
import { checkPreviousSchema } from '../support/previous-schema.ts'
import { judge } from './judge.ts'
import { inLanes, lengthOf, PARTS, type Part } from './parts.ts'
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

/** Both need load for minutes. */
const WITHOUT_SHORT_FORM = ['backup', 'soak']

const MACHINE = { node: '24', platform: 'linux', processor: 'One', cores: 2, memoryGigabytes: 8 }

function resultOf(proof: Proof): PartResult {
  const found = { date: '2026-01-01', commit: 'abc', machine: MACHINE, seed: 7, seconds: 100 }
  return { ...found, outcome: 'passed', reasons: [], proofs: [proof] }
}

test('every part has a file, and every file is a part', () => {
  const files = globSync('*.prove.ts', { cwd: HERE }).toSorted()
  expect(files).toEqual(PARTS.map(({ name }) => `${name}.prove.ts`).toSorted())
})

const REGULAR = PARTS.filter(({ isOnlyByName }) => !isOnlyByName)
/** Of the last run of each part. */
const minutesOf = ({ name }: Part) => STORED[name]!.seconds / 60
/** A part may be faster now than in its last run, but not by more than this. */
const FASTER_MAX = 0.25
/** What the page calls about an hour. */
const ABOUT_AN_HOUR = 66

test('without the soak, the parts take at most an hour, and took about an hour when they ran last', async () => {
  expect(lengthOf(REGULAR)).toBeLessThanOrEqual(60)
  const minutes = await replay(REGULAR, minutesOf)
  expect(minutes).toBeCloseTo(lengthOf(REGULAR, minutesOf), 5)
  expect(minutes).toBeLessThanOrEqual(ABOUT_AN_HOUR)
})

test('no part took much longer than it declares', () => {
  const longer = PARTS.filter((part) => minutesOf(part) * (1 - FASTER_MAX) > part.minutes + 0.5)
  expect(longer.map((part) => `${part.name}: ${minutesOf(part)} min, not ${part.minutes}`)).toEqual([])
})

/** Runs the parts as `npm run prove` does, on a clock that jumps from one end of a part to the next. */
async function replay(parts: Part[], length: (part: Part) => number): Promise<number> {
  let now = 0
  const running: { end: number; resolve: () => void }[] = []
  const done = inLanes(parts, (part) => new Promise((resolve) => running.push({ end: now + length(part), resolve })))
  for (;;) {
    await new Promise(setImmediate)
    const next = running.toSorted((a, b) => a.end - b.end)[0]
    if (!next) break
    running.splice(running.indexOf(next), 1)
    now = next.end
    next.resolve()
  }
  await done
  return now
}

test('every part names its short forms in npm test, and these exist', () => {
  const isMissing = (file: string) =>
    !file.endsWith('.test.ts') || file.includes('.long.') || !existsSync(join(HERE, '..', file))
  expect(PARTS.flatMap(({ shortForms }) => shortForms.filter(isMissing))).toEqual([])
  expect(PARTS.filter(({ shortForms }) => shortForms.length === 0).map(({ name }) => name)).toEqual(WITHOUT_SHORT_FORM)
  expect(isMissing('no-such-file.test.ts')).toBe(true)
})

test.each([
  { why: 'fewer proofs', code: 0, proofs: [PROOF], reasons: [], reason: 'It has 1 proofs of 2.' },
  { why: 'an exit code', code: 1, proofs: [PROOF, PROOF], reasons: [], reason: 'It ended with code 1.' },
  { why: 'a reason', code: 0, proofs: [PROOF, PROOF], reasons: ['It was lost.'], reason: 'It was lost.' },
])('a part fails: $why', ({ reason, ...ended }) => {
  expect(judge({ proofs: 2 }, ended)).toEqual({ outcome: 'failed', reasons: [reason] })
})

test('a part with all of its proofs passes', () => {
  expect(judge({ proofs: 2 }, { code: 0, proofs: [PROOF, PROOF], reasons: [] })).toEqual({
    outcome: 'passed',
    reasons: [],
  })
})

test('two parts run at once, and those that need to be alone afterwards', async () => {
  const parts = (['a', 'b', 'c', 'alone', 'd'] as const).map((name): Part => {
    return { name, title: name, minutes: 1, proofs: 1, shortForms: [], ...(name === 'alone' && { isAlone: true }) }
  })
  const events: string[] = []
  await inLanes(parts, async ({ name }) => {
    events.push(`${name} begins`)
    await new Promise(setImmediate)
    events.push(`${name} ends`)
  })
  expect(events.slice(0, 4)).toEqual(['a begins', 'b begins', 'a ends', 'c begins'])
  expect(events.slice(-2)).toEqual(['alone begins', 'alone ends'])
  expect(lengthOf(parts)).toBe(3)
  expect(await replay(parts, () => 1)).toBe(3)
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
  expect(() => prove(proof)).toThrow('messages lost: 6, at most 0 (first: m1, m2, m3, m4, m5)')
  expect(reliabilityPage({ kill: { ...resultOf(proof), outcome: 'failed' } })).toContain(
    '| messages lost | 6 **outside**<br>m1<br>m2<br>m3<br>m4<br>m5 | at most 0 |',
  )
  expect(() => prove({ ...PROOF, figures: [none('messages lost', [])] })).not.toThrow()
  expect(some('messages lost', lost)).toEqual(atLeast(1, 'messages lost', 6))
})

test('a proof that is refused names the figures and their limits', () => {
  const figures = [atMost(0, 'messages lost', 1_234), atLeast(10, 'seconds', 2.5, 's')]
  expect(() => prove({ ...PROOF, figures })).toThrow(
    '"No mail is lost." is not shown: messages lost: 1,234, at most 0; seconds: 2.5 s, at least 10',
  )
})

test('the page shows figures, limits, controls and what failed', () => {
  const figures = [atMost(0, 'messages lost', 2), ...PROOF.figures]
  const page = reliabilityPage({
    [PARTS[0]!.name]: resultOf(PROOF),
    [PARTS[1]!.name]: { ...resultOf({ ...PROOF, figures }), outcome: 'failed', reasons: ['It was lost.'] },
  })
  expect(page).toContain(
    `| [${PARTS[0]!.title}](#${PARTS[0]!.name}) | passed, 1 proofs of 3 | 2026-01-01 | abc | 7 | 2 min |`,
  )
  expect(page).toContain('| **FAILED** |')
  expect(page).toContain('- It was lost.')
  expect(page).toContain(`[NOT shown: ${PARTS[1]!.title}](#${PARTS[1]!.name})`)
  expect(page).toContain('**NOT shown: No mail is lost.**')
  expect(page).toContain(`In \`npm test\`, the short form is \`${PARTS[0]!.shortForms[0]}\`.`)
  expect(page).toContain('| messages lost | 0 | at most 0 |')
  expect(page).toContain('| messages lost | 2 **outside** | at most 0 |')
  expect(page).toContain('| bytes | 1,234 |  |')
  expect(page).toContain('| control: messages lost | 1 | at least 1 |')
  expect(page).toContain('| not run yet |')
})

test('the page does not repeat a text of the proof before', () => {
  const other = { ...PROOF, tried: 'Another way.' }
  const page = reliabilityPage({ kill: { ...resultOf(PROOF), proofs: [PROOF, PROOF, other, PROOF] } })
  const shown = page.split('\n').filter((line) => line.startsWith('**No mail') || line.startsWith('Control:'))
  expect(shown).toEqual([
    `**${PROOF.claim}** ${PROOF.tried}`,
    `Control: ${PROOF.control.tried}`,
    `**${PROOF.claim}** Tried as above.`,
    'Control: as above.',
    `**${PROOF.claim}** Another way.`,
    'Control: as above.',
    `**${PROOF.claim}** ${PROOF.tried}`,
    'Control: as above.',
  ])
})

test('the page says above its table how many parts passed, and of which commits they are', () => {
  const passed = resultOf(PROOF)
  const failed: PartResult = { ...passed, outcome: 'failed' }
  const others = PARTS.length - 2
  expect(reliabilityPage({})).toContain(`**Of ${PARTS.length} parts: ${PARTS.length} not run.**`)
  expect(reliabilityPage({ kill: passed, smtp: failed })).toContain(
    `1 passed, 1 failed, ${others} not run; all results are of one commit, abc.**`,
  )
  expect(reliabilityPage({ kill: passed, smtp: { ...passed, commit: 'def', outcome: 'not possible' } })).toContain(
    `1 passed, 1 not possible where they ran, ${others} not run; the results are NOT of one commit, but of 2: abc, def.**`,
  )
})

test('the page says how long all parts take together, and which passed before a proof was added', () => {
  expect(reliabilityPage(STORED)).toContain('all parts but the soak take ')
  expect(reliabilityPage({ kill: resultOf(PROOF) })).not.toContain('all parts but the soak take ')
  expect(reliabilityPage({ kill: resultOf(PROOF) })).toContain('| passed, 1 proofs of 3 |')
})

test('the page has no seed for a part that draws nothing from it', () => {
  const page = reliabilityPage({ kill: resultOf(PROOF), restarts: resultOf(PROOF) })
  expect(page).toContain('(#kill) | passed, 1 proofs of 3 | 2026-01-01 | abc | 7 |')
  expect(page).toContain('(#restarts) | passed | 2026-01-01 | abc | none |')
})
