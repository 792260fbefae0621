import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

test('counting yields between two days', async () => {
  let turns = 0
  const turnsBefore: number[] = []
  const store = {
    async countReceived() {
      turnsBefore.push(turns)
      return 1
    },
    async countDeliveries() {
      turnsBefore.push(turns)
      return { delivered: 0, failed: 0 }
    },
    countedMessages: async () => [],
  }
  let isOver = false
  const takeTurns = () => {
    turns++
    if (!isOver) setImmediate(takeTurns)
  }
  setImmediate(takeTurns)
  const team = { id: 'team', name: 'Team', plan: 'enterprise' as const, retentionDays: null, domain: null }
  const { total } = await createMetrics({ store, now: Date.now }).overview(team)
  isOver = true
  expect(total).toBe(30)
  expect(new Set(turnsBefore).size).toBe(60)
})
