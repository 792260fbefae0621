import { expect, test } from 'vitest'
import { logMigration } from './log-migration.ts'

test('a long migration logs its progress every few seconds, and a short one nothing', () => {
  const lines: object[] = []
  let now = 0
  const onMigration = logMigration({ info: (facts) => lines.push(facts) }, () => now)
  const progressAt = (ms: number, done: number) => {
    now = ms
    onMigration({ table: 'messages', done, total: 300 })
  }
  for (const [ms, done] of [
    [0, 1],
    [4_999, 50],
    [5_000, 100],
    [9_000, 150],
    [10_500, 200],
  ] as const)
    progressAt(ms, done)
  expect(lines).toEqual([
    { table: 'messages', done: 100, total: 300, percent: 33 },
    { table: 'messages', done: 200, total: 300, percent: 66 },
  ])
})
