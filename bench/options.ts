import { parseArgs } from 'node:util'

export const MEASURES = ['smtp', 'intake', 'latest', 'latency', 'waiters', 'memory', 'purge'] as const
export type Measure = (typeof MEASURES)[number]

/** Durations and sizes. The default plan takes less than 15 minutes on two cores. */
export type Plan = {
  rounds: number
  sampleMs: number
  /** Warm-up before the samples of a round: compiling the code takes some seconds. */
  warmUpMs: number
  smtpSourceMails: number
  latencyMails: number
  waiters: number
  starts: number
  idleMs: number
  /** Expired messages to delete, and mail to measure meanwhile. */
  purgeMessages: number
  purgeMails: number
}

export type Options = {
  plan: Plan
  /** Quick and partial runs are only printed; they do not overwrite the report. */
  isWhole: boolean
  measures: Measure[]
}

const FULL: Plan = {
  rounds: 5,
  sampleMs: 2_000,
  warmUpMs: 5_000,
  smtpSourceMails: 2_000,
  latencyMails: 400,
  waiters: 10_000,
  starts: 5,
  idleMs: 10_000,
  purgeMessages: 100_000,
  purgeMails: 200,
}

const QUICK: Plan = {
  rounds: 2,
  sampleMs: 700,
  warmUpMs: 700,
  smtpSourceMails: 500,
  latencyMails: 60,
  waiters: 1_000,
  starts: 2,
  idleMs: 2_000,
  purgeMessages: 20_000,
  purgeMails: 50,
}

/** More rounds would take over an hour. */
const ROUNDS_MAX = 30

export const HELP = `Measures Mailhatch and its references on this machine. A full run writes bench/report.md and bench/report.json.

Usage: npm run bench -- [options]

  --rounds <n>           Rounds of each measure, 1 to ${ROUNDS_MAX}. Default: ${FULL.rounds}.
  --quick                A short run: fewer rounds, shorter samples, ${QUICK.waiters} waits. Printed only.
  --only <a,b>           Only these measures: ${MEASURES.join(', ')}. Printed only.
  --help                 This text.

MailDev is installed from npm into the temporary folder. Postfix's smtp-sink and smtp-source are used if installed. Do not
use the machine for anything else during the run. bench/peers compares it with Mailpit, Inbucket and others.
`

/** Null for --help; throws on invalid options. */
export function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  const plan = values.quick ? QUICK : FULL
  const measures = values.only === undefined ? [...MEASURES] : values.only.split(',').map(readMeasure)
  return {
    plan: { ...plan, rounds: values.rounds === undefined ? plan.rounds : readRounds(values.rounds) },
    isWhole: !values.quick && values.only === undefined,
    measures,
  }
}

function readRounds(text: string): number {
  const rounds = Number(text)
  if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= ROUNDS_MAX)) {
    throw new Error(`--rounds must be a number from 1 to ${ROUNDS_MAX}.`)
  }
  return rounds
}

function readMeasure(name: string): Measure {
  const measure = MEASURES.find((known) => known === name.trim())
  if (!measure) throw new Error(`--only must be one or more of ${MEASURES.join(', ')}.`)
  return measure
}
