import { expect, test } from 'vitest'
import { AppError } from '../domain/errors.ts'
import { createSignInLimits } from './attempt-limit.ts'
import { claimByLink } from './address-proof.ts'

test('while too many passwords are hashed, the link is not used up', async () => {
  let isBusy = true
  const taken: string[] = []
  const ports = {
    store: {
      takeToken: async (hash: string) => {
        taken.push(hash)
        return 'ada'
      },
      findToken: async () => 'ada',
      findUser: async () => ({ id: 'ada', teamId: null, passwordHash: null, emailCheckedAt: 1 }),
      claimAccount: async () => [],
    },
    passwords: {
      async hash() {
        if (isBusy) throw new AppError('server_busy', 'Busy.')
        return 'hashed'
      },
    },
    limits: createSignInLimits(Date.now),
    endKey: () => {},
    now: Date.now,
  }
  // Only what a reset uses.
  const link = { token: 't', password: 'a new passphrase', address: { socket: '::1', claimed: null } }
  const reset = () => claimByLink(ports as never, 'reset', link)
  await expect(reset()).rejects.toMatchObject({ code: 'server_busy' })
  expect(taken).toHaveLength(0)
  isBusy = false
  expect(await reset()).toBe('ada')
  expect(taken).toHaveLength(1)
})
