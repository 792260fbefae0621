import { expect, test } from 'vitest'
import { createSignInLimits, createAttemptLimit } from './attempt-limit.ts'

function start({ attemptsMax = 3, freeAttempts = 3 } = {}) {
  let at = 1_000_000_000_000
  const limit = createAttemptLimit({ attemptsMax, windowMs: 60_000, freeAttempts, now: () => at })
  return {
    ...limit,
    pass(ms: number) {
      at += ms
    },
    /** Null, or how many seconds to wait. */
    attempt(key = 'ada'): string | null {
      try {
        limit.begin(key)
        return null
      } catch (error) {
        expect(error).toMatchObject({ code: 'rate_limited', status: 429 })
        return (error as { headers: Record<string, string> }).headers['retry-after']!
      }
    },
  }
}

test('each key has its own attempts per window', () => {
  const { attempt, pass } = start()
  expect([attempt(), attempt(), attempt(), attempt()]).toEqual([null, null, null, '60'])
  expect(attempt('eve')).toBeNull()
  pass(59_999)
  expect(attempt()).toBe('1')
  pass(1)
  expect(attempt()).toBeNull()
})

test('an undone attempt does not count, and clearing resets the count', () => {
  const { attempt, undo, clear } = start()
  for (let count = 0; count < 10; count++) {
    expect(attempt()).toBeNull()
    undo('ada')
  }
  expect([attempt(), attempt(), attempt(), attempt()]).toEqual([null, null, null, '60'])
  clear('ada')
  expect(attempt()).toBeNull()
})

test('a clock that is set back delays only keys with attempts', () => {
  const { attempt, pass } = start()
  expect(attempt()).toBeNull()
  pass(-3_600_000)
  expect(attempt()).toBeNull()
})

test('memory is bounded: with very many keys, the oldest are forgotten', () => {
  const { attempt } = start({ attemptsMax: 1 })
  expect([attempt('first'), attempt('first')]).toEqual([null, '60'])
  for (let count = 0; count < 100_000; count++) attempt(`key ${count}`)
  expect(attempt('first')).toBeNull()
  expect(attempt('key 99999')).toBe('60')
})

/** Attempts until one is refused, without waiting. */
function triesOf(limits: ReturnType<typeof createSignInLimits>, address: string, pass: () => void): number {
  for (let tries = 0; tries < 100; tries++) {
    try {
      limits.password.begin({ email: 'ada@corp.example', address })
    } catch {
      return tries
    }
    pass()
  }
  return 100
}

test('an account attacked from many addresses: each has fewer attempts, but at least one', () => {
  let at = 1_000_000_000_000
  const limits = createSignInLimits(() => at)
  // As long as the longest delay between two of the ten.
  const pass = () => void (at += 64_000)
  expect(triesOf(limits, '192.0.2.1', pass)).toBe(10)
  const allowed = Array.from({ length: 60 }, (_, number) => triesOf(limits, `198.51.100.${number}`, () => {}))
  // Each is refused once, which counts too: (3 + 1) attempts of 22 addresses and the first eleven make ninety-nine.
  expect(allowed.every((tries) => tries === 3)).toBe(true)
  expect(triesOf(limits, '192.0.2.2', pass)).toBe(3)
  // The owner, at their own address, is never refused the first attempt, and can sign in with the right password.
  const owner = { email: 'Ada@corp.example', address: '203.0.113.9' }
  for (let times = 0; times < 50; times++) {
    limits.password.begin(owner)
    limits.password.clear(owner)
  }
  at += 3_600_000
  expect(triesOf(limits, '192.0.2.2', pass)).toBe(10)
})

test('clients that a proxy names have their own attempts, and ten times as many together', () => {
  const limits = createSignInLimits(() => 1_000_000_000_000)
  const tries = (claimed: (number: number) => string | null) => {
    for (let number = 0; number < 2_000; number++) {
      try {
        limits.address.begin({ socket: '192.0.2.1', claimed: claimed(number) })
      } catch {
        return number
      }
    }
    return Infinity
  }
  expect(tries(() => '198.51.100.1')).toBe(100)
  expect(tries(() => '198.51.100.2')).toBe(100)
  // Invented addresses, a new one each time: 1,000 less those above.
  expect(tries((number) => `203.0.${number >> 8}.${number & 255}`)).toBe(800)
  expect(tries(() => null)).toBe(100)
})
