import { millisecondsOf, type Duration } from './duration.ts'

/** Throws a TypeError for a value that is not valid. `name`: what it is for. */
type Check = (value: unknown, name: string) => void

/** What an options object may have. */
export type OptionChecks<Options> = { [Name in keyof Options]-?: Check }

/** Longer timers end at once. */
const TIMER_MS_MAX = 2 ** 31 - 1

export const anything: Check = () => {}

/** Infinity is a duration too. */
// The check is what makes it one.
export const checkDuration: Check = (value, name) => void millisecondsOf(value as Duration, name)

/** A number that is not below 0. */
export const checkAmount: Check = (value, name) => {
  if (typeof value !== 'number' || !(value >= 0))
    throw new TypeError(`${name} is a number, not below 0, not ${shown(value)}.`)
}

export const checkTimer: Check = (value, name) => {
  checkDuration(value, name)
  if (millisecondsOf(value as Duration) <= TIMER_MS_MAX) return
  throw new TypeError(`${name} is at most ${TIMER_MS_MAX} milliseconds, not ${String(value)}.`)
}

/** `max` is Infinity if only the server knows the maximum. */
export function wholeNumber(min: number, max = Infinity): Check {
  return (value, name) => {
    if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return
    const range = max === Infinity ? `not below ${min}` : `from ${min} to ${max}`
    throw new TypeError(`${name} is a whole number, ${range}, not ${shown(value)}.`)
  }
}

export const checkCount = wholeNumber(0)

export function oneOf(...values: string[]): Check {
  return (value, name) => {
    if (values.includes(value as string)) return
    throw new TypeError(`${name} is one of ${values.map((each) => `'${each}'`).join(', ')}, not ${shown(value)}.`)
  }
}

/**
 * Returns the options if each has a name that exists and a valid value. An option with a typo would be ignored, and the call would do
 * something else than its caller asks for. `of`: the name of the call.
 */
export function checkOptions<Options extends object>(
  of: string,
  options: Options,
  checks: OptionChecks<Options>,
): Options {
  for (const [name, value] of Object.entries(checkObject(of, options))) {
    if (value === undefined || Object.hasOwn(checks, name)) continue
    const names = Object.keys(checks).join(', ')
    throw new TypeError(`${of} has no option ${JSON.stringify(name)}. Its options are ${names}.`)
  }
  return checkValues(of, options, checks)
}

/** The same of an object that may have other properties too. */
export function checkValues<Options extends object>(
  of: string,
  options: Options,
  checks: OptionChecks<Options>,
): Options {
  checkObject(of, options)
  // The names of all checks are those of options.
  for (const name of Object.keys(checks) as (keyof Options & string)[]) {
    if (options[name] !== undefined) checks[name](options[name], `\`${name}\` of ${of}`)
  }
  return options
}

/** Anything else has no properties to copy, so it would be ignored. */
export function checkObject<Options extends object>(of: string, options: Options): Options {
  // JavaScript may pass anything.
  const given: unknown = options
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return options
  throw new TypeError(`The options of ${of} are an object, not ${shown(given)}.`)
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}
