import { expect, test } from 'vitest'
import { WORKER_FAILED } from './retry.ts'
import { countFailure, mayBeCausedByMail, reasonFor, type OtherResults } from './set-aside.ts'

const QUIET: OtherResults = { wasTaken: false, taken: 0, healed: 0, failing: 0 }
const FLOWING: OtherResults = { wasTaken: true, taken: 5, healed: 0, failing: 0 }

test.each<[string, OtherResults, { first: boolean; second: boolean; third: boolean }]>([
  ['no other mail', QUIET, { first: true, second: false, third: false }],
  [
    'others taken, but before the last try',
    { ...FLOWING, wasTaken: false },
    { first: true, second: false, third: false },
  ],
  ['one other taken', { ...FLOWING, taken: 1 }, { first: true, second: true, third: false }],
  ['five others taken', FLOWING, { first: true, second: true, third: true }],
  [
    'three others fail as well and may be poison',
    { ...FLOWING, failing: 3 },
    { first: true, second: true, third: true },
  ],
  ['a fourth that fails', { ...FLOWING, failing: 4 }, { first: false, second: false, third: false }],
  [
    'four that fail among many taken',
    { ...FLOWING, failing: 4, taken: 30 },
    { first: true, second: true, third: true },
  ],
  ['an outage', { ...QUIET, failing: 100 }, { first: false, second: false, third: false }],
  ['one that failed and passed', { ...FLOWING, healed: 1, taken: 29 }, { first: false, second: false, third: false }],
  ['the same among many taken', { ...FLOWING, healed: 1, taken: 30 }, { first: true, second: true, third: true }],
  ['one in ten fails', { ...FLOWING, healed: 100, taken: 1_000 }, { first: false, second: false, third: false }],
  ['one in two fails', { ...FLOWING, healed: 500, taken: 1_000 }, { first: false, second: false, third: false }],
])('%s: which failures count', (_name, others, counts) => {
  const count = (ownFailures: number, sincePreviousMs: number, isOtherMailExcluded = true) =>
    countFailure(ownFailures, { others, sincePreviousMs, isOtherMailExcluded }) > ownFailures
  expect({ first: count(0, 0), second: count(1, 1_000), third: count(2, 5_000) }).toEqual(counts)
  // The third sets the mail aside, so another mail must not be the cause.
  expect([count(0, 0, false), count(1, 1_000, false), count(2, 5_000, false)]).toEqual([
    counts.first,
    counts.second,
    false,
  ])
  // Attempts in quick succession count once.
  expect([count(1, 999), count(2, 4_999)]).toEqual([false, false])
})

test('only a 500, the 502 of a proxy, a crash and a failure of the worker may be caused by the mail', () => {
  const found: string[] = []
  for (let status = 100; status < 600; status++) {
    for (const code of [null, 'internal']) {
      if (mayBeCausedByMail({ status, code, isLost: false })) found.push(`${status} ${code}`)
    }
  }
  expect(found).toEqual(['500 null', '500 internal', '502 null'])
  expect(mayBeCausedByMail({ status: null, code: null, isLost: true })).toBe(true)
  expect(mayBeCausedByMail({ status: null, code: WORKER_FAILED, isLost: false })).toBe(true)
  // A timeout, or a connection that was not established.
  expect(mayBeCausedByMail({ status: null, code: null, isLost: false })).toBe(false)
})

test('the reason is a sentence that says what happened', () => {
  const none = { status: null, code: null, isLost: false }
  const reasons = [
    { ...none, isLost: true },
    { ...none, status: 502 },
    { ...none, status: 500 },
    { ...none, code: WORKER_FAILED },
  ].map(reasonFor)
  expect(new Set(reasons).size).toBe(4)
  for (const reason of [...reasons, reasonFor('program ended')]) {
    expect(reason).toMatch(/^Set aside after 3 failures: [^.]+\.$/)
  }
})
