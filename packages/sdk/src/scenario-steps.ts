import { millisecondsOf, type Duration } from './duration.ts'
import { anything, checkOptions, oneOf, wholeNumber } from './options.ts'
import type { ScenarioStage, ScenarioStep } from './wire.ts'

/** A step of a scenario. Every call of `times` returns a new one. */
export type Step = {
  /** For how many mails the step is used; for `limit`, how many it refuses. */
  times(count: number): Step
  /** As the API has it. */
  readonly definition: ScenarioStep
}

/** The part of a step that the API gets. */
export type StepDefinition = Pick<Step, 'definition'>

/** Of mails, bytes and times. The server knows the limits. */
const AMOUNT = wholeNumber(1)
const STAGE = oneOf('rcpt', 'data', 'after-data')

/**
 * Accepts the mail as usual.
 *
 * @example
 * await inbox.script([reject(451), accept()])
 */
export function accept(): Step {
  return step({ do: 'accept' })
}

/**
 * Refuses the mail with a reply from 400 to 599: below 500 the sender should try again, from 500 on it should not.
 *
 * @example
 * await inbox.script([reject(550, { enhanced: '5.1.1', text: 'No such user' })])
 */
export function reject(
  code: number,
  options: { at?: ScenarioStage | undefined; enhanced?: string | undefined; text?: string | undefined } = {},
): Step {
  AMOUNT(code, 'The code of reject()')
  checkOptions('reject()', options, { at: STAGE, enhanced: anything, text: anything })
  return step({ do: 'reject', code, ...options })
}

/**
 * Replies late: at RCPT by default. After DATA, the mail is stored before the delay.
 *
 * @example
 * await inbox.script([delay('30s', { at: 'after-data' })])
 */
export function delay(duration: Duration, options: { at?: ScenarioStage | undefined } = {}): Step {
  const { at } = checkOptions('delay()', options, { at: STAGE })
  return step({ do: 'delay', at, ms: timeOf('delay', duration) })
}

/**
 * Closes the connection without a reply: at RCPT, at DATA (at once or after some bytes), or when the mail has been sent. There,
 * `isStored` says whether the mail arrives although its sender does not know.
 *
 * @example
 * await inbox.script([cutDuring('data', { afterBytes: 1_000 }), accept()])
 */
export function cutDuring(
  at: ScenarioStage,
  options: { afterBytes?: number | undefined; isStored?: boolean | undefined } = {},
): Step {
  STAGE(at, 'The stage of cutDuring()')
  checkOptions('cutDuring()', options, { afterBytes: AMOUNT, isStored: anything })
  return step({ do: 'cut', at, ...options })
}

/**
 * Refuses with 451 until the time has passed since the first mail.
 *
 * @example
 * await inbox.script([greylist('5s'), accept()])
 */
export function greylist(duration: Duration): Step {
  return step({ do: 'greylist', ms: timeOf('greylist', duration) })
}

/**
 * Accepts so many mails in any span of this length and refuses the others with 450. Refused ones do not count.
 *
 * @example
 * await inbox.script([limit(5, '1s')])
 */
export function limit(count: number, duration: Duration): Step {
  wholeNumber(0)(count, 'The count of limit()')
  return step({ do: 'limit', count, ms: timeOf('limit', duration) })
}

/**
 * Reads the mail slowly. Senders notice it when the buffers of the connection are full.
 *
 * @example
 * await inbox.script([slow(10_000)])
 */
export function slow(bytesPerSecond: number): Step {
  AMOUNT(bytesPerSecond, 'The bytes per second of slow()')
  return step({ do: 'slow', bytesPerSecond })
}

/** The definitions of steps, which JavaScript may pass without an array. */
export function definitionsOf(steps: StepDefinition[]): ScenarioStep[] {
  if (
    Array.isArray(steps) &&
    steps.every((each: unknown) => typeof each === 'object' && each !== null && 'definition' in each)
  ) {
    return steps.map(({ definition }) => definition)
  }
  throw new TypeError('The steps of a script are an array: script([reject(451).times(2), accept()]).')
}

/** Whole milliseconds, at least one. */
function timeOf(name: string, duration: Duration): number {
  const ms = Math.round(millisecondsOf(duration, `The duration of ${name}()`))
  AMOUNT(ms, `The duration of ${name}(), in milliseconds,`)
  return ms
}

function step(definition: ScenarioStep): Step {
  return {
    definition,
    times(count) {
      if (definition.do === 'greylist') throw new TypeError('greylist() ends after its time and has no times().')
      AMOUNT(count, 'The count of times()')
      return step({ ...definition, times: count })
    },
  }
}
