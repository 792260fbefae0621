import { millisecondsOf, type Duration } from './duration.ts'
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
  return step({ do: 'reject', code, ...options })
}

/**
 * Replies late: at RCPT by default. After DATA, the mail is stored before the delay.
 *
 * @example
 * await inbox.script([delay('30s', { at: 'after-data' })])
 */
export function delay(duration: Duration, { at }: { at?: ScenarioStage | undefined } = {}): Step {
  return step({ do: 'delay', at, ms: millisecondsOf(duration) })
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
  return step({ do: 'cut', at, ...options })
}

/**
 * Refuses with 451 until the time has passed since the first mail.
 *
 * @example
 * await inbox.script([greylist('5s'), accept()])
 */
export function greylist(duration: Duration): Step {
  return step({ do: 'greylist', ms: millisecondsOf(duration) })
}

/**
 * Accepts so many mails in any span of this length and refuses the others with 450. Refused ones do not count.
 *
 * @example
 * await inbox.script([limit(5, '1s')])
 */
export function limit(count: number, duration: Duration): Step {
  return step({ do: 'limit', count, ms: millisecondsOf(duration) })
}

/**
 * Reads the mail slowly. Senders notice it when the buffers of the connection are full.
 *
 * @example
 * await inbox.script([slow(10_000)])
 */
export function slow(bytesPerSecond: number): Step {
  return step({ do: 'slow', bytesPerSecond })
}

function step(definition: ScenarioStep): Step {
  return {
    definition,
    times(count) {
      if (definition.do === 'greylist') throw new TypeError('greylist() ends after its time and has no times().')
      return step({ ...definition, times: count })
    },
  }
}
