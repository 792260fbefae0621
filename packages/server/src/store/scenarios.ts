import type { ScenarioStep } from '@mailhatch/sdk'
import type { KnownScript, ScriptedAddress, ScriptState } from '../domain/scenario.ts'

/** A script for the mail to an address. */
export type StoredScenario = ScriptedAddress & {
  teamId: string
  id: string
  /** The address as one text, in lower case. */
  to: string
  steps: ScenarioStep[]
  state: ScriptState
  /** Changes with the state. */
  version: number
  createdAt: number
  expiresAt: number
}

export type NewScenario = Omit<StoredScenario, 'state' | 'version'>

/** `version` is that of the state that was read. */
export type ChangedScript = Pick<StoredScenario, 'id' | 'version' | 'state'>

/** Names a scenario. */
export type ScenarioKey = { teamId: string; id: string }

/** An address that receives mail. */
export type ScenarioAddress = { teamId: string; domain: string; mailbox: string; tag: string | null }

/** Scenarios that have expired are not found. `at`: the current time. */
export type ScenarioStore = {
  /** Replaces that of the same address. */
  addScenario(scenario: NewScenario, scenariosMax: number): Promise<StoredScenario | 'limit'>
  /** Newest first. */
  listScenarios(teamId: string, at: number): Promise<StoredScenario[]>
  findScenarios(teamId: string, ids: string[], at: number): Promise<StoredScenario[]>
  /** The team's most exact one that applies to the address. */
  findScenarioFor(address: ScenarioAddress, at: number): Promise<ScenarioKey | null>
  /** Whether each was saved. One that has changed since it was read, is gone, or is locked by others for long was not. */
  saveScriptStates(teamId: string, states: ChangedScript[]): Promise<boolean[]>
  removeScenario(where: ScenarioKey): Promise<boolean>
  removeExpiredScenarios(teamId: string, at: number): Promise<void>
  /** Those of all teams. If there are more than `scriptsMax`, those that last the longest. */
  scriptedAddresses(at: number, scriptsMax: number): Promise<KnownScript[]>
}
