import { expect, test } from 'vitest'
import type { StoredSummary, View } from '../store/messages.ts'
import { newestFirst } from './walk.ts'

test('a search looks at the newest 50,000 messages', async () => {
  let asked = 0
  // As many as the walk asks for, again and again. It needs no more of them.
  const messages = Array.from({ length: 201 }, (_, position) => ({ position }) as unknown as StoredSummary)
  const store = { listMessages: async () => (asked++, messages) }
  let count = 0
  for await (const page of newestFirst(store, {} as View)) count += page.length
  expect([count, asked]).toEqual([50_000, 250])
})
