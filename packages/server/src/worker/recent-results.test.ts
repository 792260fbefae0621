import { describe, expect, test } from 'vitest'
import { simulate } from '../../test/support/simulated-api.ts'

const seed = Math.floor(Math.random() * 2 ** 31)
const MAILS = 1_000
/** Good mail arrives at least this long. */
const FLOW_MS = 300_000
/** Mail that fails repeatedly by chance while others pass: 6 of 1,440,000 at rates up to 0.5. */
const BAD_LUCK_MAX = 2
/** The same with an API that ends every few seconds, mostly where it is blocked for more than half of the time: 1 of 19,800. */
const OFTEN_ENDED_MAX = 10
/** The same with replicas that are restarted all the time: none of 432,000 in 36 runs. */
const RESTARTED_MAX = 0
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

  test('an API that often ends by itself, with everything in progress, sets none aside', () => {
    const unlucky = [5_000, 20_000].flatMap((endsAfterMs) =>
      [0, 1_000, 6_000].flatMap((blocksMs) =>
        [100, 1_000].flatMap((everyMs) => {
          const mails = Math.max(MAILS, FLOW_MS / everyMs)
          const { harmless } = simulate({ seed, mails, everyMs, failures: 0, poison: 0, blocksMs, endsAfterMs })
          return harmless > 0 ? [{ endsAfterMs, blocksMs, everyMs, harmless }] : []
        }),
      ),
    )
    console.info('set aside by bad luck', unlucky)
    expect(unlucky.reduce((sum, { harmless }) => sum + harmless, 0)).toBeLessThanOrEqual(OFTEN_ENDED_MAX)
  })

  test('replicas that are restarted one after another behind a proxy set none aside', () => {
    const unlucky = [3_000, 10_000, 60_000].flatMap((everyMs) =>
      [200, 1_000, 2_500].flatMap((awayMs) =>
        [30, 100, 1_000].flatMap((mailEveryMs) => {
          const mails = Math.max(MAILS, FLOW_MS / mailEveryMs)
          const restarts = { everyMs, awayMs }
          const { harmless } = simulate({ seed, mails, everyMs: mailEveryMs, failures: 0, poison: 0, restarts })
          return harmless > 0 ? [{ ...restarts, mailEveryMs, harmless }] : []
        }),
      ),
    )
    console.info('set aside by bad luck', unlucky)
    expect(unlucky.reduce((sum, { harmless }) => sum + harmless, 0)).toBeLessThanOrEqual(RESTARTED_MAX)
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

  test.each([
    { blocksMs: 1_000, othersBetween: 300, everyMs: 100 },
    { blocksMs: 6_000, othersBetween: 300, everyMs: 100 },
    { blocksMs: 6_000, othersBetween: 1_500, everyMs: 20 },
    { blocksMs: 6_000, othersBetween: 30, everyMs: 1_000 },
  ])(
    'mail that blocks the API for $blocksMs ms before it ends is set aside, one after another, with others every $everyMs ms',
    (given) => {
      const mails = Math.max(MAILS, FLOW_MS / given.everyMs)
      const run = { seed, mails, failures: 0, poison: 3, isDeadly: true, isFirstEnding: true }
      const { harmless, poisonTries } = simulate({ ...run, ...given })
      console.info('attempts', poisonTries)
      expect({ harmless, poison: poisonTries.length }).toEqual({ harmless: 0, poison: 3 })
      expect(Math.max(...poisonTries)).toBeLessThanOrEqual(TRIES_MAX)
    },
  )

  test('one poison mail among frequent mail is set aside at its third attempt', () => {
    const run = { seed, mails: FLOW_MS / 100, everyMs: 100, failures: 0, poison: 1 }
    expect(simulate(run)).toEqual({ harmless: 0, poisonTries: [3] })
  })
})
