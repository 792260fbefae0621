import type { Recipient } from '../domain/address.ts'
import { nextAction, type Action, type ScriptState } from '../domain/scenario.ts'
import type { ScenarioKey, StoredScenario } from '../store/scenarios.ts'
import type { Store } from '../store/store.ts'
import { createTeamQueues } from '../store/team-queues.ts'
import { findHolders, findHoldersByDomain, type HolderPorts } from './address-holder.ts'

/** Workers of older versions do not name the recipient. */
export type WantedStep = ScenarioKey & { recipient?: Pick<Recipient, 'domain' | 'mailbox' | 'tag'> | undefined }

export type TakeStep = (request: WantedStep) => Promise<Action>

type StepPorts = HolderPorts & {
  store: Pick<Store, 'findScenarios' | 'findScenarioFor' | 'saveScriptStates'>
}

/** `resolve` gets null if the scenario is not in force. */
type Waiting = { id: string; resolve: (action: Action | null) => void; reject: (error: unknown) => void }

/** Each is up to 15 kB to read, whatever the number of mails that wait for it. */
const SCENARIOS_PER_GROUP_MAX = 50
/** Scenarios of one address that end one after another while a mail waits. Only a program that creates them in a loop needs more. */
const REPLACED_MAX = 5

const ACCEPT: Action = { do: 'accept' }

/**
 * What the next mail for the address gets. Every step is used exactly as often as it says, also by several workers at once. Mails of
 * a team that wait at the same time share reads and a write, also those for different addresses.
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

  async function findInForce(teamId: string, ids: string[]): Promise<StoredScenario[]> {
    const scenarios = await store.findScenarios(teamId, ids, now())
    const holders = await findHoldersByDomain(ports, scenarios)
    return scenarios.filter(({ domain, mailbox }) => holders.get(domain)?.get(mailbox)?.teamId === teamId)
  }

  /** Returns those that have to try again, because another process was faster or has locked the scenario. */
  async function takeFor(teamId: string, group: Waiting[]): Promise<Waiting[]> {
    const byScenario = Map.groupBy(group, ({ id }) => id)
    const scenarios = await findInForce(teamId, [...byScenario.keys()])
    const at = now()
    const scripts = scenarios.map((scenario) => ({
      ...scenario,
      ...takeAll(scenario, byScenario.get(scenario.id)!.length, at),
    }))
    const saved = await store.saveScriptStates(teamId, scripts)
    const again: Waiting[] = []
    for (const [index, { id, actions }] of scripts.entries()) {
      const mails = byScenario.get(id)!
      byScenario.delete(id)
      if (saved[index]) mails.forEach(({ resolve }, mail) => resolve(actions[mail]!))
      else again.push(...mails)
    }
    for (const mails of byScenario.values()) for (const { resolve } of mails) resolve(null)
    return again
  }

  const queues = createTeamQueues<Waiting>(async (teamId, waiting) => {
    const group = takeGroup(waiting)
    try {
      // With those that have come since.
      waiting.unshift(...(await takeFor(teamId, group)))
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  })
  const takeOf = ({ teamId, id }: ScenarioKey): Promise<Action | null> =>
    new Promise((resolve, reject) => queues.add(teamId, { id, resolve, reject }))

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

function takeGroup(waiting: Waiting[]): Waiting[] {
  const ids = new Set<string>()
  const end = waiting.findIndex(({ id }) => ids.add(id).size > SCENARIOS_PER_GROUP_MAX)
  return waiting.splice(0, end === -1 ? waiting.length : end)
}

/** What so many mails get, one after another, and the state after them. */
function takeAll({ steps, state: first }: StoredScenario, mails: number, at: number) {
  const actions: Action[] = []
  let state: ScriptState = first
  while (actions.length < mails) {
    const taken = nextAction(steps, state, at)
    actions.push(taken.action)
    state = taken.state
  }
  return { actions, state }
}
