import { startFleet } from '../replicas/fleet.ts'
import { measureFleet } from '../replicas/measure.ts'
import type { OnPoint } from './curve.ts'

const WARM_UP_MS = 1_000

/** The same clients, spread over more and more API processes on one PostgreSQL and the same cores. */
export async function growReplicas(
  folder: string,
  newDatabase: () => Promise<string>,
  { sizes, sampleMs }: { sizes: number[]; sampleMs: number },
  onPoint: OnPoint,
): Promise<void> {
  for (const size of sizes) {
    const fleet = await startFleet(folder, { count: size, databaseUrl: await newDatabase() })
    await measureFleet(fleet, WARM_UP_MS)
    const { intakeOneTeam, intakeTeams, latest } = await measureFleet(fleet, sampleMs)
    onPoint({ series: 'intake, one team', unit: 'mails/s', size, value: intakeOneTeam })
    onPoint({ series: 'intake, several teams', unit: 'mails/s', size, value: intakeTeams })
    onPoint({ series: 'latest', unit: 'answers/s', size, value: latest })
    await fleet.stop()
  }
}
