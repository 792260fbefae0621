import { expect, test } from 'vitest'
import type { Metadata } from './metadata.ts'
import { watchReachability } from './reachability.ts'

const failed = (lastStatus: number | null, lastCode: string | null = null) =>
  // Only these fields are used.
  ({ lastStatus, lastCode, lastError: 'why' }) as Metadata

test('a problem on the way is reported until the API responds, also if it refuses the mail', () => {
  const lines: string[] = []
  const way = watchReachability({ error: (_, text) => void lines.push(text), info: (_, text) => void lines.push(text) })
  way.failed(failed(null))
  way.failed(failed(null))
  expect(way.problem()).toMatch(/^announcements are not reaching the API: no response/)
  way.failed(failed(404, 'mailbox_unknown'))
  expect(way.problem()).toBe(null)
  way.failed(failed(404))
  expect(way.problem()).toContain('Check its path')
  way.reached()
  expect(way.problem()).toBe(null)
  expect(lines).toHaveLength(4)
})
