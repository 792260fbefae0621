import { expect } from 'vitest'
import { simulate, type SimulatedRun } from './simulated-api.ts'

const MAILS = 1_000
/** Good mail arrives at least this long. */
const FLOW_MS = 300_000
/** Without poison, fewer are enough. */
const MAILS_MAX = 8_000
/** By chance, in all runs of a test. With 62 seeds, it was 0 to 2; an API that is never suspected sets hundreds aside. */
export const UNLUCKY_MAX = 6

type Case = Partial<SimulatedRun> & { everyMs: number }

export const among = (values: number[]) => values.map((everyMs) => ({ everyMs }))

export function mailsFor(everyMs: number): number {
  return Math.max(MAILS, FLOW_MS / everyMs)
}

/** What an API does that sets almost none of the harmless mail aside. */
export const HARMLESS_CASES: Record<string, Case[]> = {
  'an API that sometimes fails on any mail': among([10, 300, 5_000, 60_000]).flatMap((each) =>
    [0.1, 0.2, 0.5, 0.9].map((failures) => ({ ...each, failures, mails: MAILS })),
  ),
  'an API that often ends by itself, with everything in progress': among([10, 100, 1_000]).flatMap((each) =>
    [5_000, 20_000].flatMap((endsAfterMs) => [0, 1_000, 3_000].map((blocksMs) => ({ ...each, endsAfterMs, blocksMs }))),
  ),
  'replicas that are restarted one after another behind a proxy': among([3, 10, 100, 1_000]).flatMap((each) =>
    [3_000, 10_000, 60_000].flatMap((everyMs) =>
      [200, 1_000, 2_500].map((awayMs) => ({ ...each, restarts: { everyMs, awayMs } })),
    ),
  ),
  'one broken replica of three': among([3, 5, 10, 100, 1_000]).map((each) => ({
    ...each,
    restarts: { everyMs: 1_000, awayMs: 1_000 },
  })),
}

/** How much harmless mail is set aside in all of these runs. None may be stuck. */
export function countUnlucky(seed: number, cases: Case[]): number {
  const results = cases.map((given) => {
    const mails = Math.min(MAILS_MAX, mailsFor(given.everyMs))
    return { ...given, ...simulate({ seed, mails, failures: 0, poison: 0, ...given }) }
  })
  console.info(
    `of ${cases.length} runs, set aside by bad luck in`,
    results.filter(({ harmless }) => harmless > 0),
  )
  expect(results.filter(({ missing }) => missing > 0)).toEqual([])
  return results.reduce((sum, { harmless }) => sum + harmless, 0)
}
