import { describe, expect, test } from 'vitest'
import { FAILING_MS_MAX, isOverloaded, judgeAttempt, parseRetryAfter, RETRY_DELAYS_MS } from './delivery-schedule.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const DAY_MS = 86_400_000
const lowest = () => 0
const middle = (exclusiveMax: number) => (exclusiveMax - 1) / 2
const highest = (exclusiveMax: number) => exclusiveMax - 1

function judge(
  answer: { httpStatus?: number | null; retryAfterMs?: number | null },
  circumstances: Partial<Parameters<typeof judgeAttempt>[1]> = {},
) {
  return judgeAttempt(
    { httpStatus: 500, retryAfterMs: null, ...answer },
    {
      attemptsBefore: 0,
      failingSince: null,
      at: NOW,
      delaysMs: RETRY_DELAYS_MS,
      random: middle,
      ...circumstances,
    },
  )
}

const pendingFor = (afterMs: number) => ({ outcome: { status: 'pending', afterMs }, disableEndpoint: null })
const failed = { outcome: { status: 'failed' }, disableEndpoint: null }

describe('the meaning of a response', () => {
  test.each([200, 201, 202, 204, 299])('%i is a success, whatever the earlier attempts returned', (httpStatus) => {
    const circumstances = { attemptsBefore: 8, failingSince: NOW - 6 * DAY_MS }
    expect(judge({ httpStatus }, circumstances)).toEqual({ outcome: { status: 'success' }, disableEndpoint: null })
  })

  test.each([null, 100, 301, 302, 304, 307, 308, 400, 401, 404, 409, 429, 500, 503, 599])(
    '%s is retried',
    (httpStatus) => {
      expect(judge({ httpStatus })).toEqual(pendingFor(5_000))
    },
  )

  test('410 disables the endpoint, regardless of earlier attempts', () => {
    expect(judge({ httpStatus: 410 }, { failingSince: NOW - 1 })).toEqual({
      ...pendingFor(5_000),
      disableEndpoint: { reason: 'The endpoint responded with 410 Gone.', failingSince: null },
    })
  })

  test.each([
    { failingMs: FAILING_MS_MAX - 1, isOff: false },
    { failingMs: FAILING_MS_MAX, isOff: true },
    { failingMs: FAILING_MS_MAX + 1, isOff: true },
  ])('after $failingMs ms of failures only, the endpoint is off: $isOff', ({ failingMs, isOff }) => {
    const failingSince = NOW - failingMs
    const disabling = { reason: 'Every attempt of the last five days failed.', failingSince }
    expect(judge({}, { failingSince })).toEqual({ ...pendingFor(5_000), disableEndpoint: isOff ? disabling : null })
  })

  test.each([429, 502, 503, 504])('%i means that the receiver is overloaded', (status) => {
    expect(isOverloaded(status)).toBe(true)
  })

  test.each([null, 200, 400, 500, 501])('%s does not', (status) => {
    expect(isOverloaded(status)).toBe(false)
  })
})

describe('the schedule', () => {
  const gaps = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 86_400].map((seconds, index) => ({
    attemptsBefore: index,
    gapMs: seconds * 1_000,
  }))

  test.each(gaps)('after attempt $attemptsBefore + 1, about $gapMs ms', ({ attemptsBefore, gapMs }) => {
    expect(judge({}, { attemptsBefore, random: lowest })).toEqual(pendingFor(gapMs * 0.8))
    expect(judge({}, { attemptsBefore, random: middle })).toEqual(pendingFor(gapMs))
    expect(judge({}, { attemptsBefore, random: highest })).toEqual(pendingFor(gapMs * 1.2))
  })

  test('the ninth attempt is the last', () => {
    expect(judge({}, { attemptsBefore: 8 })).toEqual(failed)
  })

  test('another schedule has another last attempt', () => {
    expect(judge({}, { attemptsBefore: 1, delaysMs: [100, 200] })).toEqual(pendingFor(200))
    expect(judge({}, { attemptsBefore: 2, delaysMs: [100, 200] })).toEqual(failed)
    expect(judge({}, { delaysMs: [] })).toEqual(failed)
  })
})

describe('Retry-After', () => {
  test.each([
    { value: '0', ms: 0 },
    { value: '120', ms: 120_000 },
    { value: ' 120 ', ms: 120_000 },
    { value: 'Sat, 31 Jan 2026 12:01:00 GMT', ms: 60_000 },
    { value: 'Saturday, 31-Jan-26 12:01:00 GMT', ms: 60_000 },
    { value: 'Sat Jan 31 12:01:00 2026 GMT', ms: 60_000 },
    { value: 'Fri, 30 Jan 2026 12:00:00 GMT', ms: 0 },
    { value: '-1', ms: null },
    { value: '1.5', ms: null },
    { value: '', ms: null },
    { value: 'soon', ms: null },
    { value: 'Soon, or later', ms: null },
    { value: '99999999999999', ms: null },
    { value: undefined, ms: null },
  ])('$value means $ms ms', ({ value, ms }) => {
    expect(parseRetryAfter(value, NOW)).toBe(ms)
  })

  test.each([
    { asked: 1_000, comes: 5_000, why: 'not sooner than the schedule' },
    { asked: 60_000, comes: 60_000, why: 'as asked' },
    { asked: DAY_MS, comes: DAY_MS, why: 'as asked' },
    { asked: DAY_MS + 1, comes: DAY_MS, why: 'a day at most' },
  ])('with a request for $asked ms, the delay is $comes ms: $why', ({ asked, comes }) => {
    expect(judge({ httpStatus: 503, retryAfterMs: asked })).toEqual(pendingFor(comes))
  })

  test('does not make the schedule longer', () => {
    expect(judge({ httpStatus: 503, retryAfterMs: 60_000 }, { attemptsBefore: 8 })).toEqual(failed)
  })
})
