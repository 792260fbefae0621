import { expect, test, vi } from 'vitest'
import { startChild } from './support/child-server.ts'
import { temporaryFolder } from './support/server.ts'

const WARNING = /X-Forwarded-For[^\n]*TRUST_PROXY=on/g

async function logAfterProxy(environment: Record<string, string>): Promise<string> {
  const child = await startChild({ environment: { DATA_DIR: temporaryFolder(), LOG_LEVEL: 'info', ...environment } })
  const ask = (headers: Record<string, string>) => fetch(`${child.apiUrl}/v1/me`, { headers })
  await ask({})
  expect(child.complaints()).not.toMatch(WARNING)
  for (let count = 0; count < 3; count++) expect((await ask({ 'x-forwarded-for': '203.0.113.5' })).status).toBe(401)
  expect(await child.stop()).toBe(0)
  await vi.waitFor(() => expect(child.complaints()).toContain('stopping'))
  return child.complaints()
}

test('a proxy that is not configured is logged once', async () => {
  expect((await logAfterProxy({})).match(WARNING)).toHaveLength(1)
})

test('with TRUST_PROXY nothing is logged', async () => {
  expect(await logAfterProxy({ TRUST_PROXY: 'on' })).not.toMatch(WARNING)
})
