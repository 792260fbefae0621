import { expect, test } from 'vitest'
import type { Principal } from '../domain/access.ts'
import { createKeyChecks } from './key-checks.ts'

const KEY: Principal = {
  keyId: 'k1',
  keyHash: 'h1',
  keyName: 'ci',
  scopes: ['api.full'],
  expiresAt: null,
  team: { id: 't1', name: 'Team', plan: 'pro', retentionDays: null, domain: null },
  mailbox: null,
}
const ROTATED = { ...KEY, keyHash: 'h2' }

/** Checks with a clock that the test sets, and a search that finds this key when the test says so. */
function startChecks() {
  const clock = { at: 10_000 }
  const checks = createKeyChecks(() => clock.at)
  /** Begins a search. Call the result to end it. */
  function begin(principal: Principal): () => Promise<unknown> {
    const found = Promise.withResolvers<Principal>()
    const searching = checks.remembering(() => found.promise)(principal.keyHash)
    return () => {
      found.resolve(principal)
      return searching
    }
  }
  return { clock, checks, begin }
}

test('limit: a key is fresh for a second after the search began, for any of its requests', async () => {
  const { clock, checks, begin } = startChecks()
  expect(checks.isFresh(KEY)).toBe(false)
  const end = begin(KEY)
  clock.at = 10_500
  await end()
  clock.at = 10_999
  expect(checks.isFresh(KEY)).toBe(true)
  clock.at = 11_000
  expect(checks.isFresh(KEY)).toBe(false)
  await begin(KEY)()
  expect(checks.isFresh(KEY)).toBe(true)
})

test('a key that has ended is not fresh, and a search that began before does not change that', async () => {
  const { clock, checks, begin } = startChecks()
  await begin(KEY)()
  clock.at = 10_050
  const early = begin(KEY)
  clock.at = 10_100
  // In the same millisecond, either may have come first.
  const same = begin(KEY)
  checks.recordEnding('k1')
  expect(checks.isFresh(KEY)).toBe(false)
  await early()
  await same()
  expect(checks.isFresh(KEY)).toBe(false)
})

test('of a rotated key, only the new one is fresh', async () => {
  const { clock, checks, begin } = startChecks()
  await begin(KEY)()
  clock.at = 10_100
  checks.recordEnding('k1')
  clock.at = 10_101
  await begin(ROTATED)()
  expect([checks.isFresh(ROTATED), checks.isFresh(KEY)]).toEqual([true, false])
})

test('a key that may not read, because its mailbox was deleted, is not fresh', async () => {
  const { checks, begin } = startChecks()
  await begin({ ...KEY, scopes: ['email.mailbox'], mailbox: { id: 'm1', name: null } })()
  expect(checks.isFresh(KEY)).toBe(false)
})
