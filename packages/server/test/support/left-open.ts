import { afterAll, vi } from 'vitest'
import { watchOpenResources } from './open-resources.ts'

const leftOpen = watchOpenResources()

// Test files share a process. What one leaves open could fail the next, so it fails this one.
afterAll(async () => {
  await vi
    .waitUntil(() => leftOpen().length === 0)
    .catch(() => {
      throw new Error(`This file leaves open: ${leftOpen().join(', ')}`)
    })
})
