import { vi } from 'vitest'
import type * as ApiKeyModule from '../../src/domain/api-key.ts'
import type * as RandomModule from '../../src/random.ts'
import { madeSecret } from '../support/made-secrets.ts'

// Set up for every part: what its tests and the servers in its process make is searched for in all logs of the run.
vi.mock('../../src/random.ts', async (importOriginal) => {
  const original = await importOriginal<typeof RandomModule>()
  return { ...original, newSecret: () => madeSecret(original.newSecret()) }
})
vi.mock('../../src/domain/api-key.ts', async (importOriginal) => {
  const original = await importOriginal<typeof ApiKeyModule>()
  const newApiKey: typeof original.newApiKey = (random) => madeSecret(original.newApiKey(random))
  return { ...original, newApiKey }
})
