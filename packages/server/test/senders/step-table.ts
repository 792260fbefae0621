import { accept, cutDuring, delay, greylist, limit, reject, slow, type ScenarioStage, type Step } from '@mailhatch/sdk'

/** What happens to the first attempt of a mail. */
export type Sight =
  | { sees: 'acceptance' }
  | { sees: 'refusal'; at: ScenarioStage; code: number; enhanced: string }
  | { sees: 'cut' | 'silence'; at: ScenarioStage }

export type StepRow = {
  name: string
  /** `accept()` follows. */
  step: Step
  /** For each mail, one after the other. */
  sights: Sight[]
  bytes: number
  /** It arrives although its sender cannot know. */
  isStoredUnseen: boolean
}

const STAGES = ['rcpt', 'data', 'after-data'] as const
const SMALL_BYTES = 100
const LARGE_BYTES = 60_000
const ACCEPTANCE: Sight = { sees: 'acceptance' }

/** Every kind of step. Senders lose patience after this time where a row has silence. */
export function stepRows(patienceMs: number): StepRow[] {
  const refusal = (at: ScenarioStage, code: number, enhanced = `${Math.floor(code / 100)}.0.0`): Sight => ({
    sees: 'refusal',
    at,
    code,
    enhanced,
  })
  return [
    row('accept', accept(), [ACCEPTANCE]),
    ...STAGES.flatMap((at) => [
      row(`reject 451 at ${at}`, reject(451, { at }), [refusal(at, 451)]),
      row(`reject 554 at ${at}`, reject(554, { at }), [refusal(at, 554)]),
      row(`delay at ${at}`, delay('200ms', { at }), [ACCEPTANCE]),
      row(`delay beyond patience at ${at}`, delay('60s', { at }), [{ sees: 'silence', at }], {
        isStoredUnseen: at === 'after-data',
      }),
      row(`cut at ${at}`, cutDuring(at), [{ sees: 'cut', at }]),
    ]),
    row('cut after bytes', cutDuring('data', { afterBytes: 1_000 }), [{ sees: 'cut', at: 'after-data' }], {
      bytes: LARGE_BYTES,
    }),
    row('cut after storing', cutDuring('after-data', { isStored: true }), [{ sees: 'cut', at: 'after-data' }], {
      isStoredUnseen: true,
    }),
    row('greylist', greylist('1s'), [refusal('rcpt', 451, '4.7.1')]),
    row('limit', limit(1, '1h'), [ACCEPTANCE, refusal('rcpt', 450, '4.7.1')]),
    row('slow', slow(200_000), [ACCEPTANCE], { bytes: LARGE_BYTES }),
    row(
      'slow beyond patience',
      slow(Math.round(LARGE_BYTES / (2 * (patienceMs / 1_000)))),
      [{ sees: 'silence', at: 'after-data' }],
      { bytes: LARGE_BYTES, isStoredUnseen: true },
    ),
  ]
}

function row(name: string, step: Step, sights: Sight[], more: Partial<StepRow> = {}): StepRow {
  return { name, step, sights, bytes: SMALL_BYTES, isStoredUnseen: false, ...more }
}
