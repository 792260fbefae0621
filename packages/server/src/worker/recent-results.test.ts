import { describe, expect, test } from 'vitest'
import { simulate } from '../../test/support/simulated-api.ts'

const seed = Math.floor(Math.random() * 2 ** 31)
const MAILS = 1_000
/** Good mail arrives at least this long. */
const FLOW_MS = 300_000
/** Mail that fails repeatedly by chance while others pass: 6 of 1,440,000 at rates up to 0.5. */
const BAD_LUCK_MAX = 2
/** With several deadly mails, each hides the failures of the others for a while: at most 9 attempts in 360 runs. */
const TRIES_MAX = 20

describe(`seed ${seed}`, () => {
  test('an API that sometimes fails on any mail sets none aside', () => {
    const rates = [0.1, 0.2, 0.5, 0.9]
    const unlucky = rates.flatMap((failures) =>
      [10, 300, 5_000, 60_000].flatMap((everyMs) => {
        const { harmless } = simulate({ seed, mails: MAILS, everyMs, failures, poison: 0 })
        return harmless > 0 ? [{ failures, everyMs, harmless }] : []
      }),
    )
    console.info('set aside by bad luck', unlucky)
    expect(unlucky.reduce((sum, { harmless }) => sum + harmless, 0)).toBeLessThanOrEqual(BAD_LUCK_MAX)
  })

  test.each(
    [1, 2, 3].flatMap((poison) =>
      [false, true].flatMap((isDeadly) => [10, 300, 5_000].map((everyMs) => ({ poison, everyMs, isDeadly }))),
    ),
  )('$poison poison mails, with others every $everyMs ms, are set aside (deadly: $isDeadly)', (given) => {
    const mails = Math.max(MAILS, FLOW_MS / given.everyMs)
    const { harmless, poisonTries } = simulate({ seed, mails, failures: 0, ...given })
    expect({ harmless, poison: poisonTries.length }).toEqual({ harmless: 0, poison: given.poison })
    expect(Math.max(...poisonTries)).toBeLessThanOrEqual(TRIES_MAX)
  })

  test('one poison mail among frequent mail is set aside at its third attempt', () => {
    const run = { seed, mails: FLOW_MS / 100, everyMs: 100, failures: 0, poison: 1 }
    expect(simulate(run)).toEqual({ harmless: 0, poisonTries: [3] })
  })
})
