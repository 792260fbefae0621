import type { ScenarioStep } from '@mailhatch/sdk'
import type { Recipient } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { findUnroutable, type InboxWorker } from '../domain/routed-steps.ts'
import type { ScriptedAddress } from '../domain/scenario.ts'
import type { ScenarioKey, StoredScenario } from '../store/scenarios.ts'
import type { Store } from '../store/store.ts'
import { requireReceiving, type HolderPorts } from './address-holder.ts'
import type { ScriptList } from './script-list.ts'

/** One for each test of a large suite that runs at once. Every process keeps all of them in memory. */
const SCENARIOS_MAX = 1_000

export type ScenarioPorts = HolderPorts & {
  store: Pick<Store, 'addScenario' | 'listScenarios' | 'findScenarios' | 'removeScenario'>
  inboxWorker: InboxWorker
  scripts: Pick<ScriptList, 'refresh'>
  newId: (now: number) => string
  now: () => number
}

export type ScenarioInput = {
  recipient: Recipient
  match: ScriptedAddress['match']
  steps: ScenarioStep[]
  expiresInMs: number
}

/** Replaces the scenario of the same address. */
export async function createScenario(
  ports: ScenarioPorts,
  teamId: string,
  { recipient, match, steps, expiresInMs }: ScenarioInput,
): Promise<StoredScenario> {
  const { domain, mailbox, mailboxWithTag, tag } = recipient
  const problem = ports.inboxWorker === 'cloudflare' ? findUnroutable(steps) : null
  if (problem !== null) throw new AppError('scenario_unsupported', problem, { details: { steps: [problem] } })
  await requireReceiving(ports, teamId, recipient)
  const createdAt = ports.now()
  const to = `${mailboxWithTag}@${domain}`
  const scenario = { teamId, id: ports.newId(createdAt), domain, mailbox, tag, match, to, steps, createdAt }
  const added = await ports.store.addScenario({ ...scenario, expiresAt: createdAt + expiresInMs }, SCENARIOS_MAX)
  if (added === 'limit') {
    throw new AppError(
      'scenario_limit',
      `A team has at most ${SCENARIOS_MAX} scenarios. Delete some, or let them end sooner.`,
    )
  }
  await ports.scripts.refresh()
  return added
}

export async function readScenario({ store, now }: ScenarioPorts, where: ScenarioKey): Promise<StoredScenario> {
  const [scenario] = await store.findScenarios(where.teamId, [where.id], now())
  if (!scenario) throw new AppError('not_found', 'Not found')
  return scenario
}

export async function removeScenario(ports: ScenarioPorts, where: ScenarioKey): Promise<void> {
  if (!(await ports.store.removeScenario(where))) throw new AppError('not_found', 'Not found')
  await ports.scripts.refresh()
}
