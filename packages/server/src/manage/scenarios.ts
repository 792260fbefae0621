import type { ScenarioStep } from '@mailhatch/sdk'
import type { Recipient } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { findUnroutable, type InboxWorker } from '../domain/routed-steps.ts'
import { nextAction, type Action, type ScriptedAddress } from '../domain/scenario.ts'
import type { ScenarioKey, StoredScenario } from '../store/scenarios.ts'
import type { Store } from '../store/store.ts'
import { createTeamQueues } from '../store/team-queues.ts'
import { findHolders, requireReceiving, type HolderPorts } from './address-holder.ts'
import type { ScriptList } from './script-list.ts'

/** One for each test of a large suite that runs at once. Every process keeps all of them in memory. */
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

/** Workers of older versions do not name the recipient. */
export type WantedStep = ScenarioKey & { recipient?: Pick<Recipient, 'domain' | 'mailbox' | 'tag'> | undefined }

export type TakeStep = (request: WantedStep) => Promise<Action>

type StepPorts = HolderPorts & {
  store: Pick<Store, 'findScenario' | 'findScenarioFor' | 'saveScriptState'>
}

type Waiting = { resolve: (action: Action | null) => void; reject: (error: unknown) => void }

/** Scenarios of one address that end one after another while a mail waits. Only a program that creates them in a loop needs more. */
const REPLACED_MAX = 5

const ACCEPT: Action = { do: 'accept' }

/**
 * What the next mail for the address gets. Every step is used exactly as often as it says, also by several workers at once. Mails
 * that wait at the same time share a write.
 *
 * A worker knows for up to a second a scenario that has ended or was replaced, or whose team has lost the address. Then the scenario
 * decides that the holder of the address has now.
 */
export function createTakeStep(ports: StepPorts): TakeStep {
  const { store, now } = ports

  async function holderOf({ domain, mailbox }: Pick<Recipient, 'domain' | 'mailbox'>): Promise<string | null> {
    const holders = await findHolders(ports, { domain, mailboxes: [mailbox] })
    return holders.get(mailbox)?.teamId ?? null
  }

  /** Null if the scenario is not in force. */
  async function takeAll(where: ScenarioKey, count: number): Promise<Action[] | null> {
    const scenario = await store.findScenario(where, now())
    if (!scenario || (await holderOf(scenario)) !== scenario.teamId) return null
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
      group.forEach(({ resolve }, index) => resolve(actions && actions[index]!))
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  const queues = createTeamQueues(takeGroup)
  const takeOf = ({ teamId, id }: ScenarioKey): Promise<Action | null> =>
    new Promise((resolve, reject) => {
      queues.add(`${teamId} ${id}`, { resolve, reject })
    })

  return async ({ teamId, id, recipient }) => {
    let where: ScenarioKey | null = { teamId, id }
    for (let replaced = 0; where !== null && replaced <= REPLACED_MAX; replaced++) {
      const action = await takeOf(where)
      if (action !== null) return action
      const holder = recipient === undefined ? null : await holderOf(recipient)
      where = holder && recipient ? await store.findScenarioFor({ teamId: holder, ...recipient }, now()) : null
    }
    return ACCEPT
  }
}
