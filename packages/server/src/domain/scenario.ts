import type { ScenarioStage, ScenarioStep } from '@mailhatch/sdk'

/** Longer scripts than any test reads. A mail that takes a step reads all of them. */
export const STEPS_MAX = 50
/** Longer than the timeouts of most clients, and short enough that a held connection ends before the client is idle for too long. */
export const DELAY_MS_MAX = 60_000
/** Of greylisting, and of the window of a limit: as long as a scenario can last. */
export const PERIOD_MS_MAX = 86_400_000
/** More mails than a test sends within the life of a scenario. */
export const TIMES_MAX = 10_000
/** Of mails in the window of a limit: the state keeps the time of each, so it has 15 kB at most, which every mail writes. */
export const LIMIT_COUNT_MAX = 1_000
/** Slower clients are disconnected after a while: see `rateBytesPerSecondMin` of the SMTP server. */
export const BYTES_PER_SECOND_MIN = 1_000
/** Of the mail after which a connection is cut, and of a slow reader: more than any mail that is accepted. */
export const BYTES_MAX = 1_000_000_000
/** The refusals of RFC 5321 (4.2.1). */
export const REPLY_CODES = { min: 400, max: 599 }
/** With code and status, the line stays below the 512 bytes of RFC 5321 (4.5.3.1.5), and is readable in a log. */
export const REPLY_CHARACTERS_MAX = 200

/**
 * Of all teams. Every worker gets the whole list after each change, in one response: with the longest addresses, so many fit into
 * `ANSWER_BYTES_MAX` of the worker's client.
 */
export const KNOWN_SCRIPTS_MAX = 25_000

/** What the SMTP server does with one mail. */
export type Action =
  | { do: 'accept' }
  | { do: 'reject'; at: ScenarioStage; reply: string }
  | { do: 'delay'; at: ScenarioStage; ms: number }
  | { do: 'cut'; at: ScenarioStage; afterBytes: number | null; isStored: boolean }
  | { do: 'slow'; bytesPerSecond: number }

/**
 * How far a script has come. `perStep` counts the mails that each step has got. `periodStartedAt` belongs to greylisting.
 * `acceptedAt` belongs to limits: when the last mails were accepted, the oldest first.
 */
export type ScriptState = {
  step: number
  timesUsed: number
  mails: number
  perStep: number[]
  periodStartedAt: number | null
  acceptedAt: number[]
}

export const FIRST_STATE: ScriptState = {
  step: 0,
  timesUsed: 0,
  mails: 0,
  perStep: [],
  periodStartedAt: null,
  acceptedAt: [],
}

/** What the next mail gets, and the state after it. */
export function nextAction(
  steps: ScenarioStep[],
  state: ScriptState,
  now: number,
): { action: Action; state: ScriptState } {
  const current = afterGreylisting(steps, state, now)
  const { action, after } = take(steps, current, now)
  const perStep = steps.map((_, index) => (state.perStep[index] ?? 0) + (index === current.step ? 1 : 0))
  return { action, state: { ...after, mails: state.mails + 1, perStep } }
}

type Taken = { action: Action; after: ScriptState }

/** The next step follows when the time of greylisting has passed. As the last step it stays, and accepts from then on. */
function afterGreylisting(steps: ScenarioStep[], state: ScriptState, now: number): ScriptState {
  const step = steps[state.step]!
  if (step.do !== 'greylist' || state.periodStartedAt === null || isLast(steps, state)) return state
  return now < state.periodStartedAt + step.ms ? state : following(state)
}

function take(steps: ScenarioStep[], state: ScriptState, now: number): Taken {
  const step = steps[state.step]!
  if (step.do === 'greylist') return greylist(step, state, now)
  if (step.do === 'limit') return limit(steps, step, state, now)
  return { action: actionOf(step), after: used(steps, state) }
}

function greylist({ ms }: { ms: number }, state: ScriptState, now: number): Taken {
  const periodStartedAt = state.periodStartedAt ?? now
  const leftMs = periodStartedAt + ms - now
  const refusal = `451 4.7.1 Greylisted, try again in ${Math.ceil(leftMs / 1_000)} s`
  return {
    action: leftMs > 0 ? rejection('rcpt', refusal) : ACCEPT,
    after: { ...state, timesUsed: state.timesUsed + 1, periodStartedAt },
  }
}

function limit(
  steps: ScenarioStep[],
  { count, ms }: { count: number; ms: number },
  state: ScriptState,
  now: number,
): Taken {
  const inWindow = state.acceptedAt.filter((at) => now - at < ms)
  if (inWindow.length < count) return { action: ACCEPT, after: { ...state, acceptedAt: [...inWindow, now] } }
  const after = used(steps, { ...state, acceptedAt: inWindow })
  return { action: rejection('rcpt', '450 4.7.1 Too many mails, try again later'), after }
}

/** The step was used once more, and the next one follows after the last time. */
function used(steps: ScenarioStep[], state: ScriptState): ScriptState {
  const step = steps[state.step]!
  const timesUsed = state.timesUsed + 1
  const times = 'times' in step ? (step.times ?? 1) : 1
  return timesUsed < times || isLast(steps, state) ? { ...state, timesUsed } : following(state)
}

function following({ step, mails }: ScriptState): ScriptState {
  return { ...FIRST_STATE, step: step + 1, mails }
}

function isLast(steps: ScenarioStep[], { step }: ScriptState): boolean {
  return step === steps.length - 1
}

const ACCEPT: Action = { do: 'accept' }

function rejection(at: ScenarioStage, reply: string): Action {
  return { do: 'reject', at, reply: `${reply}\r\n` }
}

function actionOf(step: Exclude<ScenarioStep, { do: 'greylist' | 'limit' }>): Action {
  switch (step.do) {
    case 'accept':
      return ACCEPT
    case 'reject': {
      const { at = 'rcpt', code, enhanced = `${Math.floor(code / 100)}.0.0`, text = 'Refused by a scenario' } = step
      return rejection(at, `${code} ${enhanced} ${text}`)
    }
    case 'delay':
      return { do: 'delay', at: step.at ?? 'rcpt', ms: step.ms }
    case 'cut': {
      const { at = 'data', afterBytes = null, isStored = false } = step
      return { do: 'cut', at, afterBytes, isStored }
    }
    case 'slow':
      return { do: 'slow', bytesPerSecond: step.bytesPerSecond }
  }
}

/** An address with a script. A prefix is that of the tag. */
export type ScriptedAddress = { domain: string; mailbox: string; tag: string | null; match: 'exact' | 'prefix' }

/** It names the scenario that has the script. */
export type KnownScript = ScriptedAddress & { teamId: string; id: string }
