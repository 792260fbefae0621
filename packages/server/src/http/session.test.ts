import { expect, test } from 'vitest'
import { findSession } from './session.ts'

test('a session is valid even if its last use cannot be written, as on a full disk', async () => {
  const signedIn = { sessionId: 's', user: {}, team: null, role: null }
  const errors: unknown[] = []
  const store = {
    // The test does not read the user.
    findSession: async () => ({ signedIn, lastSeenAt: 0 }) as never,
    recordSessionUse: async () => {
      throw new Error('database or disk is full')
    },
  }
  const observe = { log: { error: (details: unknown) => void errors.push(details) } }
  const request = new Request('http://app.test/', { headers: { cookie: 'mailhatch=token' } })
  expect(await findSession({ store, now: () => 7_200_000, site: {}, observe }, request)).toBe(signedIn)
  expect(errors).toHaveLength(1)
  expect(await findSession({ store, now: () => 1, site: {}, observe }, request)).toBe(signedIn)
  expect(errors).toHaveLength(1)
})
