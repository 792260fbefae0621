import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine, watchOtherWork } from '../machine.ts'
import { SOURCE_PROGRAM, WEBHOOK_SECRET } from '../product.ts'
import { freePort, removeFolder, startProgram, stopPrograms } from '../programs.ts'
import { writeReport } from '../stored-reports.ts'
import { startCluster, startPlain, type Cluster } from './citus-cluster.ts'
import { mailDuring } from './citus-mail.ts'
import { disrupt } from './citus-moves.ts'
import { compareRates, type Rates } from './citus-rate.ts'
import { renderCitusReport } from './citus-report.ts'
import { makeTeams, openStore, TEAMS } from './citus-teams.ts'

const MOVES = 20
const ROUNDS = 3
const REPLICAS = 2
/** Of the clusters whose rates are compared. */
const WORKERS = [1, 2, 4]
/** Of the cluster whose pieces move. */
const WORKERS_DISTURBED = 2

const HELP = `Mail for ${TEAMS} teams of a Citus cluster through ${REPLICAS} API processes, while pieces move and processes are killed; and the
rates of clusters with ${WORKERS.join(', ')} workers, compared with one PostgreSQL.

Usage: node --conditions=mailhatch-source bench/scale/citus.ts --programs <folder> [options]

  --programs <folder>  The programs of a PostgreSQL that has Citus, such as /usr/lib/postgresql/17/bin.
  --moves <n>          Moves and rebalancings. Default: ${MOVES}, at most 100.
  --rounds <n>         Rounds of the comparison. Default: ${ROUNDS}, at most 10.
  --help               This text.

It starts its own servers on 127.0.0.1 in temporary folders, and removes them. A run with the defaults takes ten minutes and writes
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
const otherWork = watchOtherWork()
const folder = mkdtempSync(join(tmpdir(), 'mailhatch-citus-'))
process.on('exit', () => removeFolder(folder))

try {
  const rates = await measureRates(programs)
  console.log(rates)
  const { disruption, mail } = await disturbMail(programs)
  console.log(disruption, mail)
  const report = { machine: describeMachine(), rates, disruption, mail, notes: otherWork() }
  if (moves === MOVES && rounds === ROUNDS) {
    writeFileSync(new URL('citus.md', import.meta.url), renderCitusReport(report))
    writeReport('citus', report)
  } else console.log(renderCitusReport(report))
} finally {
  await stopPrograms()
}

async function measureRates(from: string): Promise<Rates> {
  const plain = await startPlain(from)
  const clusters: Cluster[] = []
  try {
    for (const count of WORKERS) clusters.push(await startCluster(from, count))
    const named = [
      { name: 'PostgreSQL', url: plain.url() },
      ...clusters.map(({ url, workers }) => ({ name: `Citus, workers: ${workers.length}`, url })),
    ]
    const measured = await Promise.all(
      named.map(async ({ name, url }) => {
        const store = await openStore(url)
        return { name, store, teams: await makeTeams(store, 'rate') }
      }),
    )
    const rates = await compareRates(measured, rounds)
    await Promise.all(measured.map(({ store }) => store.close()))
    return rates
  } finally {
    await Promise.all([plain.remove(), ...clusters.map((cluster) => cluster.remove())])
  }
}

async function disturbMail(from: string) {
  const cluster = await startCluster(from, WORKERS_DISTURBED)
  try {
    const store = await openStore(cluster.url)
    const teams = await makeTeams(store, 'mail')
    await store.close()
    const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => startReplica(cluster.url)))
    const disrupting = disrupt(cluster, moves, (number) => replicas[number % REPLICAS]!.killAndStart())
    const urls = replicas.map(({ url }) => url)
    const mail = await mailDuring({ urls, teams, databaseUrl: cluster.url }, disrupting)
    return { disruption: await disrupting, mail }
  } finally {
    await stopPrograms()
    await cluster.remove()
  }
}

/** An API process that has the same address after it was killed. */
async function startReplica(databaseUrl: string) {
  const port = await freePort()
  const dataDir = mkdtempSync(join(folder, 'api-'))
  const start = async () => {
    const program = startProgram({
      name: 'API',
      command: process.execPath,
      args: [SOURCE_PROGRAM, 'api'],
      folder,
      environment: {
        DATA_DIR: dataDir,
        DATABASE_URL: databaseUrl,
        PORT: String(port),
        RATE_LIMIT: 'off',
        LOG_LEVEL: 'error',
        INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET,
        SECRET_KEY: 'secret-key-of-all-processes-of-the-run',
      },
    })
    await program.listening(port)
    return program
  }
  let program = await start()
  return {
    url: `http://127.0.0.1:${port}`,
    async killAndStart() {
      await program.kill()
      program = await start()
    },
  }
}

function whole(name: string, text: string, max: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= max) return number
  throw new Error(`${name} must be a whole number from 1 to ${max}.`)
}
