import { parseArgs } from 'node:util'
import { CURVES, type CurveName, type DatabaseKind } from './curve.ts'
import type { MessagesPlan } from './messages.ts'

export type Plan = { messages: MessagesPlan; waits: number[]; replicas: number[]; teams: number[]; sampleMs: number }

export type Options = { plan: Plan; curves: CurveName[]; databases: DatabaseKind[]; isWhole: boolean }

const DATABASES: DatabaseKind[] = ['sqlite', 'postgres']

const FULL: Plan = {
  messages: { sizes: [1_000, 10_000, 100_000, 1_000_000], questions: 200, intakeMs: 4_000, removed: 5_000 },
  waits: [10, 100, 1_000, 10_000],
  replicas: [1, 2, 3, 4],
  teams: [1, 10, 100, 1_000],
  sampleMs: 4_000,
}

const QUICK: Plan = {
  messages: { sizes: [1_000, 5_000], questions: 20, intakeMs: 500, removed: 100 },
  waits: [10, 100],
  replicas: [1, 2],
  teams: [1, 10],
  sampleMs: 500,
}

export const HELP = `Measures how Mailhatch changes as it grows: with messages, held waits, replicas and teams, on SQLite and PostgreSQL.

Usage: node --conditions=mailhatch-source bench/growth/run.ts [options]

  --only <a,b>       Only these curves: ${CURVES.join(', ')}. Printed only.
  --database <kind>  Only this database: ${DATABASES.join(' or ')}. Printed only.
  --quick            A short run up to ${Math.max(...QUICK.messages.sizes)} messages. Printed only.
  --help             This text.

A whole run takes an hour and 12 GB of disk, and writes bench/growth/report.json, from which npm run docs writes the page about performance. Do not
use the machine for anything else during the run.
`

/** Null for --help; throws on invalid options. */
export function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      database: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  return {
    plan: values.quick ? QUICK : FULL,
    curves:
      values.only === undefined ? [...CURVES] : values.only.split(',').map((name) => oneOf('--only', CURVES, name)),
    databases: values.database === undefined ? DATABASES : [oneOf('--database', DATABASES, values.database)],
    isWhole: !values.quick && values.only === undefined && values.database === undefined,
  }
}

function oneOf<Name extends string>(option: string, names: readonly Name[], given: string): Name {
  const found = names.find((name) => name === given.trim())
  if (found === undefined) throw new Error(`${option} must be one of ${names.join(', ')}.`)
  return found
}
