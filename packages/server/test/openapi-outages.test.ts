import { describe, expect, test } from 'vitest'
import { createApi } from '../src/http/app.ts'
import type { ApiPorts } from '../src/http/ports.ts'
import { announcement } from './support/announce.ts'
import { describedOperations, expectDocumented } from './support/documented.ts'

const SECRET = 'secret-of-the-outage'
const SQLITE_FULL = 13

/** An API in which the first call of every operation fails for this reason. */
function brokenApi(reason: Error) {
  const fail = () => {
    throw reason
  }
  // The other ports are never reached.
  return createApi({
    keys: { store: { findPrincipal: fail } },
    webhooks: {},
    teams: {},
    accounts: {},
    inbound: {
      acceptAnnouncement: fail,
      recordRejection: fail,
      webhookSecret: SECRET,
      ledger: { add: fail },
      scenarios: { scripts: { current: fail }, takeStep: fail },
      exchange: { noteAnnouncer() {}, poll: fail },
    },
    site: { allowedOrigins: [] },
    observe: { findProblems: fail, isOverloaded: () => false, log: { error: () => {} } },
  } as unknown as ApiPorts)
}

const OPERATIONS = describedOperations
  .filter(({ path }) => /^\/v1\/|^\/webhooks\/|^\/ready$/.test(path))
  .map(({ method, path }) => ({ method: method.toUpperCase(), path }))

const POLL = { worker: 'w1', holdMs: 0, answers: [] }

async function askBroken(reason: Error, { method, path }: { method: string; path: string }) {
  const url = `http://localhost${path.replaceAll(/[{}]/g, '')}`
  const body =
    method === 'GET' || method === 'DELETE'
      ? {}
      : {
          body: JSON.stringify({
            ...announcement(),
            reason: 'full',
            version: null,
            teamId: 'team',
            attempts: [],
            ...POLL,
          }),
        }
  const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' }
  const response = await brokenApi(reason).request(url, { method, headers, ...body })
  const answer = {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as { code: string },
  }
  expectDocumented(method, url, answer)
  return answer
}

describe('an outage has the common error format, and does not reveal its cause', () => {
  test.each(OPERATIONS)('$method $path with a fault: 500 internal', async (operation) => {
    const { status, body } = await askBroken(new Error('a path in /var/lib'), operation)
    expect([status, body.code]).toEqual([500, 'internal'])
    expect(JSON.stringify(body)).not.toContain('/var/lib')
  })

  test.each(OPERATIONS.filter(({ method }) => method !== 'GET'))(
    '$method $path with a full disk: 507 storage_full',
    async (operation) => {
      const full = Object.assign(new Error('database or disk is full'), { errcode: SQLITE_FULL })
      const { status, body } = await askBroken(full, operation)
      expect([status, body.code]).toEqual([507, 'storage_full'])
    },
  )
})
