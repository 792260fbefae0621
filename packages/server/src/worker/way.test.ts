import { expect, test } from 'vitest'
import type { Metadata } from './metadata.ts'
import { watchWay } from './way.ts'

const failed = (lastStatus: number | null, lastCode: string | null = null) =>
  // Only these are looked at.
  ({ lastStatus, lastCode, lastError: 'why' }) as Metadata

test('what is wrong on the way is said until the API answers, also when it refuses the mail', () => {
  const lines: string[] = []
  const way = watchWay({ error: (_, text) => void lines.push(text), info: (_, text) => void lines.push(text) })
  way.failed(failed(null))
  way.failed(failed(null))
  expect(way.trouble()).toMatch(/^announcements are not reaching the API: no answer/)
  way.failed(failed(404, 'mailbox_unknown'))
  expect(way.trouble()).toBe(null)
  way.failed(failed(404))
  expect(way.trouble()).toContain('Check its path')
  way.taken()
  expect(way.trouble()).toBe(null)
  expect(lines).toHaveLength(4)
})
