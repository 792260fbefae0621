import { expect, test } from 'vitest'
import { createScenario } from '../src/manage/scenarios.ts'
import { newId } from '../src/random.ts'
import { parseRecipient } from '../src/domain/address.ts'
import { addTeam } from '../src/store/store-contract.ts'
import { startAccounts } from './support/accounts.ts'

const SCENARIOS_MAX = 1_000

test('a team with 1,000 scenarios gets scenario_limit, and may replace one', async () => {
  const { store } = await startAccounts()
  const team = await addTeam(store)
  const ports = {
    store,
    rootDomain: 'in.mailhatch.test',
    inboxWorker: 'smtp' as const,
    catchAllTeam: async () => null,
    scripts: { refresh: async () => {} },
    newId,
    now: Date.now,
  }
  const add = (tag: number) =>
    createScenario(ports, team.id, {
      recipient: parseRecipient(`qa+${tag}@${team.domain}`)!,
      match: 'exact',
      steps: [{ do: 'accept' }],
      expiresInMs: 600_000,
    })
  await Promise.all(Array.from({ length: SCENARIOS_MAX }, (_, tag) => add(tag)))
  await expect(add(SCENARIOS_MAX)).rejects.toMatchObject({ code: 'scenario_limit', status: 429 })
  expect(await add(0)).toMatchObject({ tag: '0' })
})
