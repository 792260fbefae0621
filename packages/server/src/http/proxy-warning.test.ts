import { Hono } from 'hono'
import { expect, test } from 'vitest'
import type { ApiEnvironment } from './environment.ts'
import { warnOfProxy } from './proxy-warning.ts'

function start(isBehindProxy: boolean) {
  const said: string[] = []
  const app = new Hono<ApiEnvironment>()
  warnOfProxy(app, {
    accounts: { isBehindProxy },
    log: { warn: (_: object, sentence: string) => void said.push(sentence) },
  })
  app.get('/', (context) => context.text('answered'))
  return { said, ask: async (headers: Record<string, string>) => (await app.request('/', { headers })).status }
}

test.each(['X-Forwarded-For', 'Forwarded'])('%s without TRUST_PROXY is said once', async (name) => {
  const { said, ask } = start(false)
  expect(await ask({})).toBe(200)
  expect(said).toEqual([])
  for (let times = 0; times < 3; times++) expect(await ask({ [name]: 'for=203.0.113.5' })).toBe(200)
  expect(said).toEqual([expect.stringContaining('TRUST_PROXY=on')])
})

test('with TRUST_PROXY there is nothing to say', async () => {
  const { said, ask } = start(true)
  expect(await ask({ 'x-forwarded-for': '203.0.113.5' })).toBe(200)
  expect(said).toEqual([])
})
