import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine, findOtherWork } from '../machine.ts'
import { SOURCE_PROGRAM, WEBHOOK_SECRET } from '../product.ts'
import { removeFolder, startProgram, stopPrograms } from '../programs.ts'
import { startCluster, startPlain, type Cluster } from './citus-cluster.ts'
import { mailDuring } from './citus-mail.ts'
import { disrupt } from './citus-moves.ts'
import { intakeRate } from './citus-rate.ts'
import { renderCitusReport, type Rates } from './citus-report.ts'
import { makeTeams, openStore, TEAMS } from './citus-teams.ts'

const MOVES = 20
const ROUNDS = 3
const SAMPLE_MS = 8_000
const REPLICAS = 2

const HELP = `Mail for ${TEAMS} teams of a Citus cluster through ${REPLICAS} API processes, while pieces move and a worker is killed; and the rate of
intake, compared with one PostgreSQL.

Usage: node --conditions=mailhatch-source bench/scale/citus.ts --programs <folder> [options]

  --programs <folder>  The programs of a PostgreSQL that has Citus, such as /usr/lib/postgresql/17/bin.
  --moves <n>          Moves of pieces. Default: ${MOVES}, at most 100.
  --rounds <n>         Rounds of the comparison. Default: ${ROUNDS}, at most 10.
  --help               This text.

It starts its own servers on 127.0.0.1 in temporary folders, and removes them. A run with the defaults takes five minutes and writes
bench/scale/citus.md; other runs are only printed.
`

const { values } = parseArgs({
  options: {
    programs: { type: 'string' },
    moves: { type: 'string', default: String(MOVES) },
    rounds: { type: 'string', default: String(ROUNDS) },
    help: { type: 'boolean', default: false },
  },
})
const { programs } = values
if (values.help || programs === undefined) {
  console.log(HELP)
  process.exit(values.help ? 0 : 2)
}
if (!existsSync(join(programs, 'postgres'))) throw new Error(`${programs} has no program postgres.`)

const moves = whole('--moves', values.moves, 100)
const rounds = whole('--rounds', values.rounds, 10)
const notes = [findOtherWork()].filter((note) => note !== null)
const folder = mkdtempSync(join(tmpdir(), 'mailhatch-citus-'))
process.on('exit', () => removeFolder(folder))

const cluster = await startCluster(programs)
try {
  const rates = await compareRates(cluster)
  console.log(rates)
  const { disruption, mail } = await disturbMail(cluster)
  console.log(disruption, mail)
  const report = renderCitusReport({ machine: describeMachine(), rates, disruption, mail, notes })
  if (moves === MOVES && rounds === ROUNDS) writeFileSync(new URL('citus.md', import.meta.url), report)
  else console.log(report)
} finally {
  await stopPrograms()
  await cluster.remove()
}

/** In turn, because other work on the machine changes with the time. */
async function compareRates({ url }: Cluster): Promise<Rates> {
  const plain = await startPlain(programs!)
  const [onCluster, onPlain] = await Promise.all([openStore(url), openStore(plain.url())])
  const [clusterTeams, plainTeams] = [await makeTeams(onCluster, 'rate'), await makeTeams(onPlain, 'rate')]
  const rates: Rates = { cluster: [], plain: [] }
  for (let round = 0; round < rounds; round++) {
    rates.plain.push(await intakeRate(onPlain, plainTeams, SAMPLE_MS))
    rates.cluster.push(await intakeRate(onCluster, clusterTeams, SAMPLE_MS))
  }
  await Promise.all([onCluster.close(), onPlain.close()])
  await plain.remove()
  return rates
}

async function disturbMail(cluster: Cluster) {
  const store = await openStore(cluster.url)
  const teams = await makeTeams(store, 'mail')
  await store.close()
  const urls = await Promise.all(Array.from({ length: REPLICAS }, () => startReplica(cluster.url)))
  const disrupting = disrupt(cluster, moves)
  const mail = await mailDuring({ urls, teams, databaseUrl: cluster.url }, disrupting)
  return { disruption: await disrupting, mail }
}

async function startReplica(databaseUrl: string): Promise<string> {
  const { output } = startProgram({
    name: 'API',
    command: process.execPath,
    args: [SOURCE_PROGRAM, 'api'],
    folder,
    environment: {
      DATA_DIR: mkdtempSync(join(folder, 'api-')),
      DATABASE_URL: databaseUrl,
      PORT: '0',
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'error',
      INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET,
      SECRET_KEY: 'secret-key-of-all-processes-of-the-run',
    },
  })
  return `http://127.0.0.1:${(await output(/API\s+http:\S+:(\d+)/))[1]}`
}

function whole(name: string, text: string, max: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= max) return number
  throw new Error(`${name} must be a whole number from 1 to ${max}.`)
}
