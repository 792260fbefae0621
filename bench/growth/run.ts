import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readGivenOptions } from '../given-options.ts'
import { describeMachine, watchOtherWork } from '../machine.ts'
import { sourceChangedAt } from '../product.ts'
import { removeFolder, stopPrograms } from '../programs.ts'
import { firstLine, formatFigure } from '../results.ts'
import { startDatabases, type Databases } from '../search/databases.ts'
import { writeReport } from '../stored-reports.ts'
import type { CurveName, DatabaseKind, OnPoint, Point } from './curve.ts'
import { growMessages } from './messages.ts'
import { HELP, readOptions, type Options, type Plan } from './options.ts'
import { growReplicas } from './replicas.ts'
import { renderGrowth, type Growth } from './report.ts'
import { growTeams } from './teams.ts'
import { growWaits } from './waits.ts'

type Growing = { folder: string; databases: Databases; plan: Plan; onPoint: OnPoint }

const GROW: Record<CurveName, (growing: Growing) => Promise<void>> = {
  async messages({ folder, databases, plan, onPoint }) {
    await growMessages(await databases.placeIn(join(folder, 'messages')), folder, plan.messages, onPoint)
  },
  async waits({ folder, databases, plan, onPoint }) {
    await growWaits(folder, async () => (await databases.placeIn(folder)).url, plan.waits, onPoint)
  },
  async replicas({ folder, databases, plan, onPoint }) {
    const newDatabase = async () => (await databases.placeIn(folder)).url!
    await growReplicas(folder, newDatabase, { sizes: plan.replicas, sampleMs: plan.sampleMs }, onPoint)
  },
  async teams({ folder, databases, plan, onPoint }) {
    await growTeams(await databases.placeIn(join(folder, 'teams')), plan.teams, onPoint)
  },
}

const options = readGivenOptions(readOptions, HELP)
if (options) await run(options)
else console.log(HELP)

async function run({ plan, curves, databases: kinds, isWhole }: Options): Promise<void> {
  const beganAt = Date.now()
  const startedAt = performance.now()
  const otherWork = watchOtherWork()
  const notes: string[] = []
  const points: Point[] = []
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-growth-'))
  process.on('exit', () => removeFolder(folder))

  async function grow(curve: CurveName, database: DatabaseKind): Promise<void> {
    console.log(`${curve} on ${database}`)
    const own = mkdtempSync(join(folder, `${curve}-`))
    const databases = await startDatabases(database)
    try {
      const onPoint: OnPoint = (point) => {
        console.log(`  ${point.size}: ${point.series}: ${formatFigure(point.value)} ${point.unit}`)
        points.push({ curve, database, ...point })
      }
      await GROW[curve]({ folder: own, databases, plan, onPoint })
    } catch (error) {
      console.error(error)
      notes.push(`${curve} on ${database} failed: ${firstLine(error)}`)
      process.exitCode = 1
    } finally {
      await stopPrograms()
      await databases.close()
      removeFolder(own)
    }
  }

  for (const curve of curves) {
    // SQLite has one process.
    for (const kind of kinds) if (curve !== 'replicas' || kind === 'postgres') await grow(curve, kind)
  }
  if (sourceChangedAt() > beganAt) notes.push('The source was edited during the benchmark.')
  const seconds = (performance.now() - startedAt) / 1_000
  const growth: Growth = { machine: describeMachine(), points, seconds, notes: [...otherWork(), ...notes] }
  if (isWhole) writeReport('growth', growth)
  console.log(`\n${renderGrowth(growth)}`)
}
