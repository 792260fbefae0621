import type { ScenarioStage, ScenarioStep } from '@mailhatch/sdk'
import { findClosestName } from './closest-name.ts'
import { AppError } from './errors.ts'
import {
  BYTES_MAX,
  BYTES_PER_SECOND_MIN,
  DELAY_MS_MAX,
  LIMIT_COUNT_MAX,
  PERIOD_MS_MAX,
  REPLY_CHARACTERS_MAX,
  REPLY_CODES,
  TIMES_MAX,
} from './scenario.ts'

// The text form of steps, on the command line and in the dashboard:
//   step = kind [ ":" value ] [ "x" times ] { "," option }      reject:451x2,at=data,text=Try again

/** An example of each kind, in the order of the documentation. */
export const STEP_EXAMPLES: Record<ScenarioStep['do'], string> = {
  accept: 'accept',
  reject: 'reject:451x2',
  delay: 'delay:8s',
  cut: 'cut:data',
  greylist: 'greylist:30s',
  limit: 'limit:5/1s',
  slow: 'slow:10kB/s',
}

const KINDS = Object.keys(STEP_EXAMPLES) as ScenarioStep['do'][]
const STAGES: ScenarioStage[] = ['rcpt', 'data', 'after-data']
/** The largest first. */
const DURATIONS = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }
const SIZES = { MB: 1_000_000, kB: 1_000, B: 1 }

/** Throws an error that names the step and the character of the mistake. */
export function parseSteps(texts: string[]): ScenarioStep[] {
  return texts.map((text, index) => {
    try {
      return parseStep(new StepReader(text))
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
      const where = error.at < text.length ? `character ${error.at + 1}` : 'at the end'
      const sentence = `Step ${index + 1}, '${text}', ${where}: ${error.message}`
      throw new AppError('validation_failed', sentence, { details: { steps: [sentence] } })
    }
  })
}

/** The text that `parseSteps` reads as this step. */
export function stepText(step: ScenarioStep): string {
  const times = 'times' in step && step.times !== undefined ? `x${step.times}` : ''
  switch (step.do) {
    case 'accept':
      return times === '' ? 'accept' : `accept:${times}`
    case 'reject':
      return `reject:${step.code}${times}${optionTexts({ at: step.at, enhanced: step.enhanced, text: step.text })}`
    case 'delay':
      return `delay:${inUnits(step.ms, DURATIONS)}${times}${optionTexts({ at: step.at })}`
    case 'cut': {
      const after = step.afterBytes === undefined ? undefined : inUnits(step.afterBytes, SIZES)
      return `cut:${step.at ?? 'data'}${times}${optionTexts({ after })}${step.isStored ? ',stored' : ''}`
    }
    case 'greylist':
      return `greylist:${inUnits(step.ms, DURATIONS)}`
    case 'limit':
      return `limit:${step.count}/${inUnits(step.ms, DURATIONS)}${times}`
    case 'slow':
      return `slow:${inUnits(step.bytesPerSecond, SIZES)}/s${times}`
  }
}

function optionTexts(options: Record<string, string | undefined>): string {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return given.map(([name, value]) => `,${name}=${value}`).join('')
}

function inUnits(value: number, units: Record<string, number>): string {
  const [name, size] = Object.entries(units).find(([, size]) => value % size === 0)!
  return `${value / size}${name}`
}

function parseStep(reader: StepReader): ScenarioStep {
  const kind = reader.kind()
  const example = STEP_EXAMPLES[kind]
  if (kind !== 'accept') reader.need(':', example)
  switch (kind) {
    case 'accept':
      if (!reader.has(':')) return { do: kind, ...reader.end() }
      reader.need('x', 'accept:x3')
      return { do: kind, times: reader.count(), ...reader.end() }
    case 'reject': {
      const code = reader.integer({ ...REPLY_CODES, what: 'a reply code' })
      return { do: kind, code, ...reader.times(), ...reader.options({ at, enhanced, text }) }
    }
    case 'delay':
      return { do: kind, ms: reader.duration(DELAY_MS_MAX), ...reader.times(), ...reader.options({ at }) }
    case 'cut': {
      const step = { do: kind, at: reader.stage(), ...reader.times() }
      const { after: afterBytes, stored: isStored } = reader.options({ after, stored })
      return { ...step, afterBytes, isStored }
    }
    case 'greylist':
      return { do: kind, ms: reader.duration(PERIOD_MS_MAX), ...reader.end() }
    case 'limit': {
      const count = reader.integer({ min: 0, max: LIMIT_COUNT_MAX, what: 'a number of mails' })
      reader.need('/', example)
      return { do: kind, count, ms: reader.duration(PERIOD_MS_MAX), ...reader.times(), ...reader.end() }
    }
    case 'slow': {
      const bytesPerSecond = reader.size(BYTES_PER_SECOND_MIN)
      reader.need('/s', example)
      return { do: kind, bytesPerSecond, ...reader.times(), ...reader.end() }
    }
  }
}

type Option<Value> = (reader: StepReader) => Value

const at: Option<ScenarioStage> = (reader) => reader.value().stage()
const after: Option<number> = (reader) => reader.value().size(1)
const stored: Option<true> = () => true
const enhanced: Option<string> = (reader) =>
  reader.value().take(/[45]\.\d{1,3}\.\d{1,3}/y, 'a status code such as 4.3.0')
/** The rest of the step, because it may contain anything. */
const text: Option<string> = (reader) =>
  reader
    .value()
    .take(
      new RegExp(`[ -~]{1,${REPLY_CHARACTERS_MAX}}$`, 'y'),
      `a text of 1 to ${REPLY_CHARACTERS_MAX} ASCII characters`,
    )

class Mistake extends Error {
  readonly at: number

  constructor(at: number, expected: string) {
    super(`expected ${expected}.`)
    this.at = at
  }
}

class StepReader {
  #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  kind(): ScenarioStep['do'] {
    const given = this.#match(/[\w-]*/y)
    const kind = KINDS.find((each) => each === given)
    if (kind !== undefined) return kind
    const closest = findClosestName(given, KINDS)
    throw new Mistake(0, closest === null ? `one of ${KINDS.join(', ')}` : closest)
  }

  has(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }

  need(word: string, example: string): void {
    if (!this.has(word)) throw new Mistake(this.#at, `'${word}', as in ${example}`)
  }

  /** What follows the name of an option. */
  value(): this {
    if (!this.has('=')) throw new Mistake(this.#at, `'='`)
    return this
  }

  take(pattern: RegExp, expected: string): string {
    const found = this.#match(pattern)
    if (found === '') throw new Mistake(this.#at, expected)
    return found
  }

  integer({ min, max, what }: { min: number; max: number; what: string }): number {
    const start = this.#at
    const value = Number(this.#match(/\d+/y) || NaN)
    if (!(value >= min && value <= max)) throw new Mistake(start, `${what} from ${min} to ${max}`)
    return value
  }

  duration(msMax: number): number {
    return this.#amount(DURATIONS, { min: 1, max: msMax, what: 'a duration such as 500ms, 8s or 2m' })
  }

  size(bytesMin: number): number {
    return this.#amount(SIZES, { min: bytesMin, max: BYTES_MAX, what: 'a size such as 1000B or 10kB' })
  }

  stage(): ScenarioStage {
    const start = this.#at
    const stage = STAGES.find((each) => this.has(each))
    if (stage === undefined) throw new Mistake(start, `one of ${STAGES.join(', ')}`)
    return stage
  }

  count(): number {
    return this.integer({ min: 1, max: TIMES_MAX, what: 'a number of times' })
  }

  times(): { times?: number } {
    return this.has('x') ? { times: this.count() } : {}
  }

  end(): object {
    return this.options({})
  }

  /** The options until the end of the text, in any order. */
  options<Options extends Record<string, Option<unknown>>>(
    known: Options,
  ): { [name in keyof Options]?: ReturnType<Options[name]> } {
    const found: Record<string, unknown> = {}
    while (this.#at < this.#text.length) {
      const left = Object.keys(known).filter((name) => !(name in found))
      const expected = left.length === 0 ? 'the end of the step' : `the end of the step, or ,${left.join(' or ,')}`
      const start = this.#at
      const name = this.has(',') ? left.find((each) => this.#isWord(each)) : undefined
      if (name === undefined) throw new Mistake(start, expected)
      this.#at += name.length
      found[name] = known[name]!(this)
    }
    // Each name has the value of its own option.
    return found as { [name in keyof Options]?: ReturnType<Options[name]> }
  }

  #isWord(word: string): boolean {
    return this.#text.startsWith(word, this.#at) && !/\w/.test(this.#text[this.#at + word.length] ?? '')
  }

  #amount(units: Record<string, number>, { min, max, what }: { min: number; max: number; what: string }): number {
    const start = this.#at
    const number = this.#match(/\d+(?:\.\d+)?/y)
    // The longest first: `m` is the beginning of `ms`.
    const names = Object.keys(units).sort((one, other) => other.length - one.length)
    const unit = names.find((name) => this.has(name))
    if (number === '' || unit === undefined) throw new Mistake(start, what)
    const value = Math.round(Number(number) * units[unit]!)
    if (value >= min && value <= max) return value
    throw new Mistake(start, `${what}, from ${inUnits(min, units)} to ${inUnits(max, units)}`)
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const [found = ''] = pattern.exec(this.#text) ?? []
    this.#at += found.length
    return found
  }
}
