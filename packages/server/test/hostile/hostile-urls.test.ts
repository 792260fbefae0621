import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { isPublicAddress } from '../../src/notify/address-rules.ts'
import { runInNetworkNamespace } from '../support/network-namespace.ts'
import type { CanaryReport } from './canary-run.ts'
import { HARMLESS_URLS, HOSTILE_URLS, REDIRECTS_TO } from './hostile-urls.ts'

const PUBLIC_ADDRESS = '93.184.216.34'

let report: CanaryReport
beforeAll(async () => {
  const script = fileURLToPath(new URL('canary-run.ts', import.meta.url))
  // Printed by that script as this type.
  report = JSON.parse(await runInNetworkNamespace(script)) as CanaryReport
})

test('of hundreds of hostile URLs, none leads to a connection', () => {
  expect(new Set(HOSTILE_URLS.map(({ url }) => url)).size).toBeGreaterThan(200)
  expect(report.guarded).toHaveLength(HOSTILE_URLS.length)
  expect(report.guarded.filter(({ heard }) => heard.length > 0)).toEqual([])
  expect(report.guarded.filter(({ error }) => !error?.startsWith('Webhook URL '))).toEqual([])
})

test('control: without the rules, the same code connects wherever it can', () => {
  const reachable = report.unguarded.filter(({ isReachable }) => isReachable)
  expect(reachable.length).toBeGreaterThan(200)
  expect(reachable.filter(({ heard }) => heard.length === 0)).toEqual([])
})

test('public addresses are allowed', () => {
  expect(report.harmless).toHaveLength(HARMLESS_URLS.length)
  for (const { url, heard } of report.harmless) {
    expect(heard, url).toHaveLength(1)
    expect(isPublicAddress(heard[0]!), url).toBe(true)
  }
})

test('redirects to such URLs are not followed, although they would lead there', () => {
  expect(report.redirects).toHaveLength(REDIRECTS_TO.length * 5)
  for (const { to, status, heard, heardWhenFollowed } of report.redirects) {
    expect(status, to).toBeGreaterThanOrEqual(301)
    expect(heard, to).toEqual([])
    expect(heardWhenFollowed, to).toHaveLength(1)
  }
})

test('a name whose DNS response changes is resolved once, and the checked address is used', () => {
  expect(report.flip).toEqual({ heard: [PUBLIC_ADDRESS], resolverCalls: 1, heardWithoutPin: ['127.0.0.1'] })
})

test('a public address of this machine is refused', () => {
  const { guarded, unguarded } = report.own
  expect(guarded).toMatchObject({ heard: [], error: 'Webhook URL must not point to a private address.' })
  expect(unguarded.heard).toHaveLength(1)
})
