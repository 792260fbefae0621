import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { answerErrors, commonRefusalFor } from '../answer-errors.ts'
import type { ApiEnvironment } from './environment.ts'
import { proxyWarning } from './proxy-warning.ts'

function start(isBehindProxy: boolean) {
  const warnings: string[] = []
  const app = new Hono<ApiEnvironment>()
  const log = { error: () => {}, warn: (_: object, message: string) => void warnings.push(message) }
  const ports = { log, newRequestId: () => 'id', refusalFor: commonRefusalFor }
  answerErrors(app, ports, [proxyWarning({ site: { isBehindProxy }, observe: { log } })])
  app.get('/', (context) => context.text('answered'))
  return { warnings, ask: async (headers: Record<string, string>) => (await app.request('/', { headers })).status }
}

test.each(['X-Forwarded-For', 'Forwarded'])('%s without TRUST_PROXY is logged once', async (name) => {
  const { warnings, ask } = start(false)
  expect(await ask({})).toBe(200)
  expect(warnings).toEqual([])
  for (let times = 0; times < 3; times++) expect(await ask({ [name]: 'for=203.0.113.5' })).toBe(200)
  expect(warnings).toEqual([expect.stringContaining('TRUST_PROXY=on')])
})

test('with TRUST_PROXY there is no warning', async () => {
  const { warnings, ask } = start(true)
  expect(await ask({ 'x-forwarded-for': '203.0.113.5' })).toBe(200)
  expect(warnings).toEqual([])
})
