import type { ScenarioStage, ScenarioStep } from '@mailhatch/sdk'
import { describe, expect, test } from 'vitest'
import { seededRandom, type SeededRandom } from '../../test/support/seeded-random.ts'
import { AppError } from './errors.ts'
import { LIMIT_COUNT_MAX, PERIOD_MS_MAX, TIMES_MAX } from './scenario.ts'
import { parseSteps, STEP_EXAMPLES, stepText } from './step-text.ts'

const SEED = 20_261_118
const STEPS = 3_000
const PIECES = [',', ':', '=', 'x', 'at', '0', '9', 's', 'data', '\n']
const STAGES: ScenarioStage[] = ['rcpt', 'data', 'after-data']

test.each<[string, ScenarioStep]>([
  ['accept', { do: 'accept' }],
  ['accept:x3', { do: 'accept', times: 3 }],
  ['reject:451x2', { do: 'reject', code: 451, times: 2 }],
  [
    'reject:550,at=after-data,enhanced=5.1.1,text=No, never=x2 ',
    { do: 'reject', code: 550, at: 'after-data', enhanced: '5.1.1', text: 'No, never=x2 ' },
  ],
  ['delay:1500ms,at=data', { do: 'delay', ms: 1_500, at: 'data' }],
  ['delay:1mx2', { do: 'delay', ms: 60_000, times: 2 }],
  ['cut:rcpt', { do: 'cut', at: 'rcpt' }],
  ['cut:datax2,after=1500B', { do: 'cut', at: 'data', times: 2, afterBytes: 1_500 }],
  ['cut:after-data,stored', { do: 'cut', at: 'after-data', isStored: true }],
  ['greylist:24h', { do: 'greylist', ms: 86_400_000 }],
  ['limit:5/1sx3', { do: 'limit', count: 5, ms: 1_000, times: 3 }],
  ['slow:10kB/s', { do: 'slow', bytesPerSecond: 10_000 }],
])('%s', (text, step) => {
  expect(parseSteps([text])).toEqual([step])
  expect(stepText(step)).toBe(text)
})

test('options have any order, and amounts a decimal point', () => {
  expect(parseSteps(['reject:451,enhanced=4.3.0,at=data', 'delay:1.5s', 'cut:data,stored,after=1.5kB'])).toEqual([
    { do: 'reject', code: 451, enhanced: '4.3.0', at: 'data' },
    { do: 'delay', ms: 1_500 },
    { do: 'cut', at: 'data', isStored: true, afterBytes: 1_500 },
  ])
})

test('the examples are steps', () => {
  const examples = Object.values(STEP_EXAMPLES)
  expect(parseSteps(examples).map(stepText)).toEqual(examples)
})

function mistakeIn(...texts: string[]): string {
  try {
    parseSteps(texts)
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_failed') return error.message
    throw error
  }
  throw new Error('There is no mistake.')
}

test.each([
  ['', 'at the end: expected one of accept, reject, delay, cut, greylist, limit, slow.'],
  ['frobnicate', 'character 1: expected one of accept, reject, delay, cut, greylist, limit, slow.'],
  ['rejct:451', 'character 1: expected reject.'],
  ['reject', "at the end: expected ':', as in reject:451x2."],
  ['reject:250', 'character 8: expected a reply code from 400 to 599.'],
  ['reject:451x0', 'character 12: expected a number of times from 1 to 10000.'],
  ['reject:451 x2', 'character 11: expected the end of the step, or ,at or ,enhanced or ,text.'],
  ['reject:451,at=data,at=rcpt', 'character 19: expected the end of the step, or ,enhanced or ,text.'],
  ['reject:451,at=mail', 'character 15: expected one of rcpt, data, after-data.'],
  ['reject:451,at', "at the end: expected '='."],
  ['reject:451,enhanced=2.0.0', 'character 21: expected a status code such as 4.3.0.'],
  ['reject:451,text=a\r\nQUIT', 'character 17: expected a text of 1 to 200 ASCII characters.'],
  ['delay:8', 'character 7: expected a duration such as 500ms, 8s or 2m.'],
  ['delay:2m', 'character 7: expected a duration such as 500ms, 8s or 2m, from 1ms to 1m.'],
  ['accept:3', "character 8: expected 'x', as in accept:x3."],
  ['accept,at=data', 'character 7: expected the end of the step.'],
  ['cut', "at the end: expected ':', as in cut:data."],
  ['limit:5', "at the end: expected '/', as in limit:5/1s."],
  ['slow:100B/s', 'character 6: expected a size such as 1000B or 10kB, from 1kB to 1000MB.'],
  ['slow:10kB', "at the end: expected '/s', as in slow:10kB/s."],
  ['greylist:30sx2', 'character 13: expected the end of the step.'],
])('a mistake is named with its place: %j', (text, mistake) => {
  expect(mistakeIn('accept', text)).toBe(`Step 2, '${text}', ${mistake}`)
})

describe(`random steps, seed ${SEED}`, () => {
  test('every step is what its text says', () => {
    const random = seededRandom(SEED)
    for (let number = 0; number < STEPS; number++) {
      const step = randomStep(random)
      expect(parseSteps([stepText(step)])).toEqual([step])
    }
  })

  test('a changed text is another step that has a text, or a mistake within it', () => {
    const random = seededRandom(SEED)
    const texts = Array.from({ length: STEPS }, () => random.mutated(stepText(randomStep(random)), PIECES))
    const read = texts.filter((text) => stepsOrNull(text) !== null)
    for (const text of read) expect(parseSteps(parseSteps([text]).map(stepText))).toEqual(parseSteps([text]))
    const mistakes = texts.filter((text) => !read.includes(text))
    for (const text of mistakes) expect(characterOf(mistakeIn(text))).toBeLessThanOrEqual(text.length)
    expect(read.length).toBeGreaterThan(STEPS / 20)
    expect(mistakes.length).toBeGreaterThan(STEPS / 20)
  })
})

/** 0 if the mistake is at the end. */
function characterOf(mistake: string): number {
  return Number(/, character (\d+): expected /.exec(mistake)?.[1] ?? 0)
}

function stepsOrNull(text: string): ScenarioStep[] | null {
  try {
    return parseSteps([text])
  } catch {
    return null
  }
}

function randomStep(random: SeededRandom): ScenarioStep {
  const upTo = (max: number) => 1 + random.below(random.pick([9, 1_000, max]))
  const maybe = <Value>(value: () => Value) => (random.chance(0.5) ? value() : undefined)
  const times = maybe(() => upTo(TIMES_MAX - 1))
  const at = maybe(() => random.pick(STAGES))
  const ms = (upTo(59_999) * random.pick([1, 1, 1_000])) % 60_000 || 1
  const longMs = upTo(PERIOD_MS_MAX - 1)
  return random.pick<() => ScenarioStep>([
    () => ({ do: 'accept', times }),
    () => ({
      do: 'reject',
      code: 400 + random.below(200),
      at,
      enhanced: maybe(() => `${random.pick([4, 5])}.${random.below(1_000)}.${random.below(1_000)}`),
      text: maybe(() => randomText(random)),
      times,
    }),
    () => ({ do: 'delay', ms, at, times }),
    () => ({ do: 'greylist', ms: longMs }),
    () => ({ do: 'limit', count: random.below(LIMIT_COUNT_MAX), ms: longMs, times }),
    () => ({
      do: 'cut',
      at: random.pick(STAGES),
      afterBytes: maybe(() => upTo(999_999_999)),
      isStored: maybe(() => true),
      times,
    }),
    () => ({ do: 'slow', bytesPerSecond: 1_000 + random.below(999_999_000), times }),
  ])()
}

function randomText(random: SeededRandom): string {
  const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
  return Array.from({ length: 1 + random.below(200) }, () => random.pick(printable)).join('')
}
