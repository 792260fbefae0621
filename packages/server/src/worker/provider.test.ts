import { expect, onTestFinished, test } from 'vitest'
import { startDouble } from '../../test/support/json-double.ts'
import { createProvider } from './provider.ts'

const SETTINGS = { adminToken: null, emailDomain: 'in.test', workerName: 'w', zoneId: 'zone', apiToken: 'token' }
/** Long enough for the request to arrive. */
const SOON_MS = 1_000

test('a provider that does not respond is a timeout', async () => {
  const double = await startDouble(() => 'nothing')
  onTestFinished(() => double.close())
  const provider = createProvider({ ...SETTINGS, apiUrl: double.url }, SOON_MS)
  await expect(provider.catchAllRule()).rejects.toMatchObject({
    status: 502,
    details: { provider: ['It did not respond in time.'] },
  })
})

test('an unreachable provider is an error', async () => {
  const double = await startDouble(() => 'nothing')
  await double.close()
  const provider = createProvider({ ...SETTINGS, apiUrl: double.url })
  await expect(provider.enableDns(null)).rejects.toMatchObject({
    status: 502,
    details: { provider: ['It cannot be reached.'] },
  })
})

test('a zone id is escaped in the path', async () => {
  const double = await startDouble(() => ({ status: 200, body: { success: true, errors: [], result: 1 } }))
  onTestFinished(() => double.close())
  const provider = createProvider({ ...SETTINGS, zoneId: '../other?', apiUrl: double.url })
  expect(await provider.catchAllRule()).toBe(1)
  expect(double.heard[0]!.path).toBe('/zones/..%2Fother%3F/email/routing/rules/catch_all')
})
