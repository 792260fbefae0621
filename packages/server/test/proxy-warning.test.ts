import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../src/program/config.ts'
import { startServe } from '../src/program/node.ts'
import { withDatabase } from './support/journey-database.ts'
import { NEVER_OVERLOADED, temporaryFolder } from './support/server.ts'

const WARNING = /X-Forwarded-For.*TRUST_PROXY=on/

/** What is logged as a warning by a server that is asked through a proxy. */
async function warningsAfterProxy(environment: Record<string, string>): Promise<string[]> {
  const warnings: string[] = []
  const log = { debug() {}, info() {}, error() {}, warn: (_facts: object, text: string) => void warnings.push(text) }
  const ports = { PORT: '0', WORKER_PORT: '0', SMTP_PORT: '0', DISK_FREE_MIN: '0' }
  const settings = await withDatabase({ DATA_DIR: temporaryFolder(), ...ports, ...environment })
  const running = await startServe(readConfig('serve', settings), log, { overload: NEVER_OVERLOADED })
  onTestFinished(() => running.close())
  const ask = (headers: Record<string, string>) => fetch(`http://127.0.0.1:${running.apiPort}/v1/me`, { headers })
  await ask({})
  expect(warnings.filter((text) => WARNING.test(text))).toEqual([])
  for (let count = 0; count < 3; count++) expect((await ask({ 'x-forwarded-for': '203.0.113.5' })).status).toBe(401)
  return warnings.filter((text) => WARNING.test(text))
}

test('a proxy that is not configured is logged once', async () => {
  expect(await warningsAfterProxy({})).toHaveLength(1)
})

test('with TRUST_PROXY nothing is logged', async () => {
  expect(await warningsAfterProxy({ TRUST_PROXY: 'on' })).toEqual([])
})
