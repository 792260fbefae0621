import { describe, expect, test } from 'vitest'
import { FIRST_STATE, type ScriptState } from '../domain/scenario.ts'
import type { NewScenario, ScenarioKey, StoredScenario } from './scenarios.ts'
import { addTeam, newId, NOW } from './store-contract.ts'
import type { Store } from './store.ts'

const MAX = 3

export function scenarioFor(teamId: string, values: Partial<NewScenario> = {}): NewScenario {
  const { tag = 'signup' } = values
  return {
    teamId,
    id: newId(),
    domain: 'in.example',
    mailbox: 'qa',
    tag,
    match: 'exact',
    to: `qa+${tag}@in.example`,
    steps: [{ do: 'reject', code: 451, times: 2 }, { do: 'accept' }],
    createdAt: NOW,
    expiresAt: NOW + 1_000,
    ...values,
  }
}

async function find(store: Store, { teamId, id }: ScenarioKey, at = NOW): Promise<StoredScenario | null> {
  return (await store.findScenarios(teamId, [id], at))[0] ?? null
}

export function describeScenarios(open: () => Promise<Store>): void {
  describe('scenarios', () => {
    test('a scenario is read as it was written, by its team only', async () => {
      const store = await open()
      const [team, other] = [await addTeam(store), await addTeam(store)]
      const wish = scenarioFor(team.id)
      const added = await store.addScenario(wish, MAX)
      expect(added).toEqual({ ...wish, state: FIRST_STATE, version: 0 })
      expect(await find(store, wish)).toEqual(added)
      expect(await store.listScenarios(team.id, NOW)).toEqual([added])
      expect(await find(store, { teamId: other.id, id: wish.id })).toBeNull()
      expect(await store.removeScenario({ teamId: other.id, id: wish.id })).toBe(false)
      const { domain, mailbox, tag, match, id, teamId } = wish
      expect(await store.scriptedAddresses(NOW, MAX)).toEqual([{ domain, mailbox, tag, match, id, teamId }])
      expect(await store.removeScenario(wish)).toBe(true)
      expect(await store.listScenarios(team.id, NOW)).toEqual([])
    })

    test('one that has expired is not found, and is removed', async () => {
      const store = await open()
      const team = await addTeam(store)
      const wish = scenarioFor(team.id)
      await store.addScenario(wish, MAX)
      expect(await find(store, wish, wish.expiresAt - 1)).not.toBeNull()
      expect(await find(store, wish, wish.expiresAt)).toBeNull()
      expect(await store.listScenarios(team.id, wish.expiresAt)).toEqual([])
      expect(await store.scriptedAddresses(wish.expiresAt, MAX)).toEqual([])
      await store.removeExpiredScenarios(team.id, wish.expiresAt - 1)
      expect(await store.listScenarios(team.id, NOW)).toHaveLength(1)
      await store.removeExpiredScenarios(team.id, wish.expiresAt)
      expect(await store.listScenarios(team.id, NOW)).toEqual([])
    })

    test('a scenario replaces that of the same address, and others have a limit', async () => {
      const store = await open()
      const team = await addTeam(store)
      for (const tag of ['a', 'b', 'c']) await store.addScenario(scenarioFor(team.id, { tag }), MAX)
      expect(await store.addScenario(scenarioFor(team.id, { tag: 'd' }), MAX)).toBe('limit')
      const again = scenarioFor(team.id, { tag: 'b', createdAt: NOW + 1 })
      expect(await store.addScenario(again, MAX)).toMatchObject({ id: again.id })
      const tags = (await store.listScenarios(team.id, NOW)).map(({ tag }) => tag)
      expect(tags.toSorted()).toEqual(['a', 'b', 'c'])
      // The prefix is another address.
      expect(await store.addScenario(scenarioFor(team.id, { tag: 'b', match: 'prefix' }), MAX)).toBe('limit')
      // Those that have expired make room.
      const later = scenarioFor(team.id, { tag: 'd', createdAt: NOW + 1_000, expiresAt: NOW + 2_000 })
      expect(await store.addScenario(later, MAX)).toMatchObject({ id: later.id })
    })

    test('the most exact scenario of a team is found for an address', async () => {
      const store = await open()
      const team = await addTeam(store)
      const add = async (values: Partial<NewScenario>) => {
        const wish = scenarioFor(team.id, { to: 'qa@in.example', ...values })
        await store.addScenario(wish, 10)
        return wish.id
      }
      const exact = await add({ tag: 'sign%up' })
      const whole = await add({ tag: null, match: 'prefix' })
      const prefix = await add({ tag: 'sign%', match: 'prefix' })
      const expired = await add({ tag: 'old', expiresAt: NOW + 1 })
      const of = async (tag: string | null, values = {}) => {
        const address = { teamId: team.id, domain: 'in.example', mailbox: 'qa', tag, ...values }
        return (await store.findScenarioFor(address, NOW + 1))?.id ?? null
      }
      expect([await of('sign%up'), await of('sign%upper'), await of('sign-up')]).toEqual([exact, prefix, whole])
      expect([await of(null), await of('old')]).toEqual([whole, whole])
      expect(expired).not.toBe(whole)
      const others = [{ teamId: (await addTeam(store)).id }, { domain: 'other.example' }, { mailbox: 'qa2' }]
      for (const other of others) expect(await of('sign%up', other)).toBeNull()
    })

    test('of too many scenarios, those that last the longest are known', async () => {
      const store = await open()
      const team = await addTeam(store)
      for (const tag of ['1', '3', '2']) {
        await store.addScenario(scenarioFor(team.id, { tag, expiresAt: NOW + Number(tag) }), MAX)
      }
      const tags = async (scriptsMax: number) =>
        (await store.scriptedAddresses(NOW, scriptsMax)).map(({ tag }) => tag).toSorted()
      expect([await tags(2), await tags(3)]).toEqual([
        ['2', '3'],
        ['1', '2', '3'],
      ])
    })

    test('a state is saved once per version', async () => {
      const store = await open()
      const team = await addTeam(store)
      const wish = scenarioFor(team.id, { tag: null, to: 'qa@in.example' })
      await store.addScenario(wish, MAX)
      const key = { teamId: team.id, id: wish.id }
      const states = Array.from({ length: 20 }, (_, mails) => ({ ...FIRST_STATE, mails }))
      const save = (state: ScriptState) => store.saveScriptStates(team.id, [{ id: wish.id, version: 0, state }])
      const saved = (await Promise.all(states.map(save))).flat()
      expect(saved.filter(Boolean)).toHaveLength(1)
      expect(await find(store, key)).toMatchObject({ tag: null, version: 1, state: states[saved.indexOf(true)] })
    })

    test('states that are saved together do not depend on each other', async () => {
      const store = await open()
      const [team, other] = [await addTeam(store), await addTeam(store)]
      const wishes = ['a', 'b', 'c'].map((tag) => scenarioFor(team.id, { tag }))
      for (const wish of wishes) await store.addScenario(wish, MAX)
      const foreign = scenarioFor(other.id)
      await store.addScenario(foreign, MAX)
      const state = { ...FIRST_STATE, mails: 1 }
      const changes = [...wishes, foreign].map(({ id }) => ({ id, version: 0, state }))
      const outdated = { id: wishes[1]!.id, version: 3, state }
      expect(await store.saveScriptStates(team.id, [changes[2]!, outdated, changes[3]!, changes[0]!])).toEqual([
        true,
        false,
        false,
        true,
      ])
      const ids = wishes.map(({ id }) => id)
      const found = await store.findScenarios(team.id, [...ids, foreign.id], NOW)
      expect(new Map(found.map(({ tag, state: { mails } }) => [tag, mails]))).toEqual(
        new Map([
          ['a', 1],
          ['b', 0],
          ['c', 1],
        ]),
      )
      expect(await find(store, foreign)).toMatchObject({ version: 0 })
    })
  })
}
