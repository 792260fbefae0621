import { parseArgs } from 'node:util'
import { isPeerName, PEER_NAMES, peerFrom } from './catalog.ts'
import type { Peer } from './peer.ts'

export const MEASURES = ['fresh', 'first', 'warm', 'latest'] as const
export type Measure = (typeof MEASURES)[number]

export type Plan = {
  rounds: number
  sampleMs: number
  /** Mails one at a time: right after the start, and when others are stored. */
  firstMails: number
  storedMails: number
  warmMails: number
  /** Before a program counts as warm. A slow one has less mail, but as much time. */
  warmUpMails: number
  warmUpMs: number
  /** Messages stored when `latest` is measured. Once per program, because filling takes long. */
  sizes: number[]
}

export type Options = {
  plan: Plan
  measures: Measure[]
  peers: Peer[]
  /** With a peer that is not installed for it, in all rounds. Other runs are only printed. */
  isWhole: boolean
}

const FULL: Plan = {
  rounds: 5,
  sampleMs: 2_000,
  firstMails: 60,
  storedMails: 4_000,
  warmMails: 200,
  warmUpMails: 20_000,
  warmUpMs: 30_000,
  sizes: [1_000, 10_000, 100_000],
}

const QUICK: Plan = {
  rounds: 1,
  sampleMs: 500,
  firstMails: 20,
  storedMails: 500,
  warmMails: 20,
  warmUpMails: 1_000,
  warmUpMs: 5_000,
  sizes: [1_000],
}

const ROUNDS_MAX = 20

export const HELP = `Compares Mailhatch with other programs that catch mail for tests, each with the same work through its own SMTP and API.

Usage: node --conditions=mailhatch-source bench/peers/run.ts [options]

  --peer <name=file>  Compare with this program: ${PEER_NAMES.join(', ')} (a jar, with java). Can be repeated.
  --rounds <n>        Rounds, in each of which every program has its turn. Default: ${FULL.rounds}, at most ${ROUNDS_MAX}.
  --only <a,b>        Only these measures: ${MEASURES.join(', ')}. Printed only.
  --quick             A short run. Printed only.
  --help              This text.

MailDev is always measured; it is installed from npm into the system's temporary folder. A run with another program and ${FULL.rounds} rounds or more
writes bench/peers/report.json, from which npm run docs writes the page about performance. With three more programs it takes an hour. Do not use
the machine for anything else during the run.
`

/** Null for --help; throws on invalid options. */
export function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      peer: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  const plan = values.quick ? QUICK : FULL
  const rounds = values.rounds === undefined ? plan.rounds : readRounds(values.rounds)
  const peers = values.peer.map(readPeer)
  return {
    plan: { ...plan, rounds },
    measures: values.only === undefined ? [...MEASURES] : values.only.split(',').map(readMeasure),
    peers,
    isWhole: !values.quick && values.only === undefined && peers.length > 0 && rounds >= FULL.rounds,
  }
}

function readRounds(text: string): number {
  const rounds = Number(text)
  if (Number.isInteger(rounds) && rounds >= 1 && rounds <= ROUNDS_MAX) return rounds
  throw new Error(`--rounds must be a number from 1 to ${ROUNDS_MAX}.`)
}

function readMeasure(name: string): Measure {
  const measure = MEASURES.find((known) => known === name.trim())
  if (!measure) throw new Error(`--only must be one or more of ${MEASURES.join(', ')}.`)
  return measure
}

function readPeer(text: string): Peer {
  const [name = '', ...path] = text.split('=')
  const file = path.join('=')
  if (!isPeerName(name) || file === '')
    throw new Error(`--peer must be a name and a file: ${PEER_NAMES.map((known) => `${known}=<file>`).join(', ')}.`)
  return peerFrom(name, file)
}
