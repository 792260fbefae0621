import type { ScenarioStep } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { FIRST_STATE, LIMIT_COUNT_MAX, nextAction, PERIOD_MS_MAX } from './scenario.ts'

/** What mails at these moments get, in short. */
function run(steps: ScenarioStep[], moments: number[]): string[] {
  let state = FIRST_STATE
  return moments.map((now) => {
    const taken = nextAction(steps, state, now)
    state = taken.state
    const { action } = taken
    return action.do === 'reject' ? action.reply.slice(0, 3) : action.do
  })
}

const mails = (count: number) => Array.from({ length: count }, () => 0)

test('each step is used as often as it says, and the last one stays', () => {
  const steps: ScenarioStep[] = [
    { do: 'reject', code: 451, times: 2 },
    { do: 'delay', ms: 8_000 },
    { do: 'cut' },
    { do: 'accept' },
  ]
  expect(run(steps, mails(7))).toEqual(['451', '451', 'delay', 'cut', 'accept', 'accept', 'accept'])
  expect(run([{ do: 'reject', code: 550 }], mails(3))).toEqual(['550', '550', '550'])
})

test('greylisting refuses until its time has passed since the first mail, then the next step follows', () => {
  const steps: ScenarioStep[] = [{ do: 'greylist', ms: 1_000 }, { do: 'reject', code: 550 }, { do: 'accept' }]
  expect(run(steps, [5_000, 5_900, 5_999, 6_000, 6_001])).toEqual(['451', '451', '451', '550', 'accept'])
  expect(run([{ do: 'greylist', ms: 1_000 }], [0, 999, 1_000, 9_000])).toEqual(['451', '451', 'accept', 'accept'])
})

test('a limit refuses what exceeds it within its window, as often as it says', () => {
  const limit: ScenarioStep = { do: 'limit', count: 2, ms: 100 }
  expect(run([limit, { do: 'cut' }], [0, 10, 20, 30])).toEqual(['accept', 'accept', '450', 'cut'])
  expect(run([limit, { do: 'cut' }], [0, 10, 100, 110, 120, 130])).toEqual([
    'accept',
    'accept',
    'accept',
    'accept',
    '450',
    'cut',
  ])
  expect(run([{ ...limit, times: 2 }, { do: 'cut' }], [0, 1, 2, 3, 4])).toEqual([
    'accept',
    'accept',
    '450',
    '450',
    'cut',
  ])
  expect(run([limit], [0, 1, 2, 3, 100])).toEqual(['accept', 'accept', '450', '450', 'accept'])
})

test('a limit lets no more mails through in any window of its length', () => {
  const accepted = [0, 90, 99, 100, 110, 189, 190, 200].filter((_, index, all) => {
    return run([{ do: 'limit', count: 2, ms: 100 }], all.slice(0, index + 1)).at(-1) === 'accept'
  })
  expect(accepted).toEqual([0, 90, 100, 190, 200])
  const busy = Array.from({ length: 3_000 }, (_, now) => now)
  const seen = run([{ do: 'limit', count: LIMIT_COUNT_MAX, ms: 2_000 }], busy)
  for (let start = 0; start + 2_000 <= busy.length; start += 250)
    expect(seen.slice(start, start + 2_000).filter((each) => each === 'accept')).toHaveLength(LIMIT_COUNT_MAX)
})

test('the state of a limit stays small', () => {
  const steps: ScenarioStep[] = [{ do: 'limit', count: LIMIT_COUNT_MAX, ms: PERIOD_MS_MAX }]
  let state = FIRST_STATE
  const start = Date.UTC(2026, 0, 1)
  for (let mail = 0; mail < 2 * LIMIT_COUNT_MAX; mail++) state = nextAction(steps, state, start + mail).state
  expect(JSON.stringify(state).length).toBeLessThan(16_000)
})

test('the state counts the mails, and how often the step was used', () => {
  let state = FIRST_STATE
  const steps: ScenarioStep[] = [{ do: 'accept', times: 3 }, { do: 'cut' }]
  for (let mail = 0; mail < 2; mail++) state = nextAction(steps, state, 0).state
  expect(state).toMatchObject({ step: 0, timesUsed: 2, mails: 2 })
  for (let mail = 0; mail < 3; mail++) state = nextAction(steps, state, 0).state
  expect(state).toMatchObject({ step: 1, timesUsed: 2, mails: 5, perStep: [3, 2] })
})

test('a mail after greylisting counts for the step that it got', () => {
  const steps: ScenarioStep[] = [{ do: 'greylist', ms: 1_000 }, { do: 'limit', count: 1, ms: 100 }, { do: 'accept' }]
  let state = FIRST_STATE
  for (const now of [0, 500, 1_000, 1_001, 1_002]) state = nextAction(steps, state, now).state
  expect(state).toMatchObject({ step: 2, timesUsed: 1, mails: 5, perStep: [2, 2, 1] })
})

test('a rejection has the code, the status and the text that were given, or usual ones', () => {
  const replyOf = (step: ScenarioStep) => nextAction([step], FIRST_STATE, 0).action
  expect(replyOf({ do: 'reject', code: 452, enhanced: '4.2.2', text: 'Mailbox full' })).toEqual({
    do: 'reject',
    at: 'rcpt',
    reply: '452 4.2.2 Mailbox full\r\n',
  })
  expect(replyOf({ do: 'reject', code: 554, at: 'after-data' })).toEqual({
    do: 'reject',
    at: 'after-data',
    reply: '554 5.0.0 Refused by a scenario\r\n',
  })
})
