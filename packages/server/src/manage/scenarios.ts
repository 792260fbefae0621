import type { ScenarioStep } from '@mailhatch/sdk'
import type { Recipient } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { findUnroutable, type InboxWorker } from '../domain/routed-steps.ts'
import { nextAction, type Action, type ScriptedAddress } from '../domain/scenario.ts'
import type { ScenarioKey, StoredScenario } from '../store/scenarios.ts'
import type { Store } from '../store/store.ts'
import { createTeamQueues } from '../store/team-queues.ts'
import { requireReceiving, type HolderPorts } from './address-holder.ts'
import type { ScriptList } from './script-list.ts'

const SCENARIOS_MAX = 1_000

export type ScenarioPorts = HolderPorts & {
  store: Pick<Store, 'addScenario' | 'listScenarios' | 'findScenario' | 'removeScenario'>
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
  const scenario = await store.findScenario(where, now())
  if (!scenario) throw new AppError('not_found', 'Not found')
  return scenario
}

export async function removeScenario(ports: ScenarioPorts, where: ScenarioKey): Promise<void> {
  if (!(await ports.store.removeScenario(where))) throw new AppError('not_found', 'Not found')
  await ports.scripts.refresh()
}

export type TakeStep = (where: ScenarioKey) => Promise<Action>

type StepPorts = { store: Pick<Store, 'findScenario' | 'saveScriptState'>; now: () => number }

type Waiting = { resolve: (action: Action) => void; reject: (error: unknown) => void }

/**
 * What the next mail for the address gets. Every step is used exactly as often as it says, also by several workers at once. Mails
 * that wait at the same time share a write.
 */
export function createTakeStep({ store, now }: StepPorts): TakeStep {
  async function takeAll(where: ScenarioKey, count: number): Promise<Action[]> {
    const scenario = await store.findScenario(where, now())
    // It has ended meanwhile.
    if (!scenario) return Array.from({ length: count }, () => ({ do: 'accept' }))
    const actions: Action[] = []
    let { state } = scenario
    while (actions.length < count) {
      const taken = nextAction(scenario.steps, state, now())
      actions.push(taken.action)
      state = taken.state
    }
    const isSaved = await store.saveScriptState({ ...where, version: scenario.version }, state)
    // Another process was faster.
    return isSaved ? actions : takeAll(where, count)
  }

  async function takeGroup(key: string, waiting: Waiting[]): Promise<void> {
    const group = waiting.splice(0)
    const [teamId, id] = key.split(' ') as [string, string]
    try {
      const actions = await takeAll({ teamId, id }, group.length)
      group.forEach(({ resolve }, index) => resolve(actions[index]!))
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  const queues = createTeamQueues(takeGroup)
  return ({ teamId, id }) =>
    new Promise((resolve, reject) => {
      queues.add(`${teamId} ${id}`, { resolve, reject })
    })
}
