import { describe, expect, test } from 'vitest'
import { simulate } from '../../test/support/simulated-api.ts'
import { among, countUnlucky, HARMLESS_CASES, mailsFor, UNLUCKY_MAX } from '../../test/support/simulated-cases.ts'
import { createRecentResults } from './recent-results.ts'

const seed = Math.floor(Math.random() * 2 ** 31)
/** Every third case in a run, others with another seed. recent-results.long.test.ts has all of them. */
const SHARE = 3
const FLOW_MAILS = 3_000
/** With several deadly mails, each hides the failures of the others for a while. With 62 seeds, it was 3 to 10. */
const TRIES_MAX = 20

test('of mail that was in progress at a crash, the one that was begun first is announced last', () => {
  let at = 100_000
  const { noteFailure, leastSuspect } = createRecentResults(() => at)
  const crash = (...keys: string[]) => {
    at += 10_000
    const began = keys.map((key, index) => ({ key, beganAt: at - 100 + index }))
    for (const { key, beganAt } of began) noteFailure(key, { previousAt: 0, beganAt, at, isCrash: true })
  }
  crash('blocking', 'a', 'b')
  crash('c', 'd')
  crash('blocking')
  const left = new Set(['blocking', 'a', 'b', 'c', 'd', 'not remembered'])
  const order: string[] = []
  while (left.size > 0) {
    const next = leastSuspect(left)!
    left.delete(next)
    order.push(next)
  }
  expect(order).toEqual(['not remembered', 'b', 'a', 'd', 'c', 'blocking'])
})

describe(`seed ${seed}`, () => {
  test.each(Object.entries(HARMLESS_CASES))('%s sets almost none aside', (_, cases) => {
    // Lists of three are nested in the cases.
    const some = cases.filter((_each, index) => (index + Math.floor(index / SHARE)) % SHARE === seed % SHARE)
    expect(countUnlucky(seed, some)).toBeLessThanOrEqual(UNLUCKY_MAX)
  })

  test.each(
    [1, 2, 3].flatMap((poison) =>
      [false, true].flatMap((isDeadly) => among([10, 300, 5_000]).map((each) => ({ ...each, poison, isDeadly }))),
    ),
  )('$poison poison mails, with others every $everyMs ms, are set aside (deadly: $isDeadly)', (given) => {
    const { harmless, missing, poisonTries } = simulate({ seed, mails: mailsFor(given.everyMs), failures: 0, ...given })
    expect({ harmless, missing, poison: poisonTries.length }).toEqual({ harmless: 0, missing: 0, poison: given.poison })
    expect(Math.max(...poisonTries)).toBeLessThanOrEqual(TRIES_MAX)
  })

  test.each([
    { blocksMs: 1_000, othersBetween: 300, everyMs: 100, triesMax: 12 },
    { blocksMs: 3_000, othersBetween: 300, everyMs: 100, triesMax: 12 },
    { blocksMs: 3_000, othersBetween: 1_500, everyMs: 20, triesMax: 12 },
    { blocksMs: 3_000, othersBetween: 30, everyMs: 1_000, triesMax: 20 },
  ])(
    'mail that blocks the API for $blocksMs ms before it ends is set aside, one after another, with others every $everyMs ms',
    ({ triesMax, ...given }) => {
      const run = { seed, mails: mailsFor(given.everyMs), failures: 0, poison: 3, isDeadly: true, isFirstEnding: true }
      const { poisonTries, longestMs, ...others } = simulate({ ...run, ...given })
      console.info('attempts', poisonTries, `longest wait of another mail: ${longestMs} ms`)
      expect({ ...others, poison: poisonTries.length }).toEqual({ harmless: 0, missing: 0, poison: 3 })
      expect(Math.max(...poisonTries)).toBeLessThanOrEqual(triesMax)
    },
  )

  test('one poison mail among frequent mail is set aside at its third attempt', () => {
    const run = { seed, mails: FLOW_MAILS, everyMs: 100, failures: 0, poison: 1 }
    expect(simulate(run)).toMatchObject({ harmless: 0, missing: 0, poisonTries: [3] })
  })
})
