import { describe, expect, test } from 'vitest'
import { isPlanName, oldestVisible, PLANS, retentionDays } from './plans.ts'
import type { PlanName } from './plans.ts'

const NOW = Date.parse('2025-03-31T12:00:00.000Z')

describe('limit: retention is 14 days on starter, 90 on pro, custom on enterprise', () => {
  test.each<[PlanName, number | null, number | null]>([
    ['starter', null, 14],
    ['starter', 365, 14],
    ['pro', null, 90],
    ['pro', 1, 90],
    ['enterprise', null, null],
    ['enterprise', 7, 7],
    ['enterprise', 3_650, 3_650],
  ])('%s with its own %s days keeps messages for %s', (plan, own, expected) => {
    expect(retentionDays({ plan, retentionDays: own })).toBe(expected)
  })

  test.each<[PlanName, number | null, string]>([
    ['starter', null, '2025-03-17T12:00:00.000Z'],
    ['pro', null, '2024-12-31T12:00:00.000Z'],
    ['enterprise', 1, '2025-03-30T12:00:00.000Z'],
  ])('%s with its own %s days shows nothing from before %s', (plan, own, expected) => {
    expect(new Date(oldestVisible({ plan, retentionDays: own }, NOW)).toISOString()).toBe(expected)
  })

  test('without a retention limit every date is visible, and the limit is a number that databases accept', () => {
    const oldest = oldestVisible({ plan: 'enterprise', retentionDays: null }, NOW)
    expect(oldest).toBeLessThan(Date.parse('1900-01-01T00:00:00.000Z'))
    expect(oldest).toBeLessThanOrEqual(Date.parse('-271821-04-20T00:00:00.000Z'))
    expect(Number.isSafeInteger(oldest)).toBe(true)
  })
})

test('limit: what each plan includes', () => {
  expect(PLANS).toEqual({
    starter: { retentionDays: 14, mailboxes: 1, keys: 1, members: 1, webhooks: false, requestsPerMinute: 60 },
    pro: { retentionDays: 90, mailboxes: 20, keys: 10, members: 15, webhooks: true, requestsPerMinute: 1_000 },
    enterprise: {
      retentionDays: null,
      mailboxes: null,
      keys: null,
      members: null,
      webhooks: true,
      requestsPerMinute: 5_000,
    },
  })
})

test('plan names', () => {
  expect(['starter', 'pro', 'enterprise'].every(isPlanName)).toBe(true)
  expect(['', 'Pro', 'free', 'toString', '__proto__'].filter(isPlanName)).toEqual([])
})
