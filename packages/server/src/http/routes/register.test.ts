import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import type { Principal } from '../../domain/access.ts'
import { AppError } from '../../domain/errors.ts'
import { createApi } from '../app.ts'
import type { ApiEnvironment } from '../environment.ts'
import type { ApiPorts } from '../ports.ts'
import { scopesFor } from './access.ts'
import type { Route } from './route.ts'
import { ROUTES } from './routes.ts'

const KEY = 'a-key-that-an-operator-chose'

const PRINCIPAL: Principal = {
  keyId: 'key',
  keyHash: 'hash',
  keyName: 'ci',
  scopes: ['email.full'],
  expiresAt: null,
  team: { id: 'team', name: 'Team', plan: 'pro', retentionDays: null, domain: null },
  mailbox: null,
}

/** The checks in the order in which they run. */
const CHECKS = ['overload', 'key', 'rate limit', 'validation', 'scope', 'path'] as const
type Check = (typeof CHECKS)[number]

const REFUSALS: Record<Check, number> = {
  overload: 503,
  key: 401,
  'rate limit': 429,
  validation: 400,
  scope: 403,
  path: 404,
}

/** An API in which these checks fail, as far as they depend on the server. */
function apiThatFails(wrong: readonly Check[], { access }: Route): Hono<ApiEnvironment> {
  const has = (check: Check) => wrong.includes(check)
  // Has no scopes, or all scopes of the route.
  const principal = { ...PRINCIPAL, scopes: has('scope') ? [] : [...(scopesFor(access) ?? [])] }
  // No handler runs to its end, so the other ports are missing.
  return createApi({
    store: {},
    now: Date.now,
    messages: {},
    mailboxes: {},
    keys: {
      store: { findPrincipal: async () => (has('key') ? null : principal) },
      now: Date.now,
      recordUse() {},
      rateLimit() {
        if (has('rate limit')) throw new AppError('rate_limited', 'Rate limit exceeded. Please slow down.')
        return {}
      },
    },
    webhooks: { allowedHosts: new Set() },
    teams: {},
    accounts: {},
    inbound: { webhookSecret: null },
    site: { allowedOrigins: [] },
    observe: { isOverloaded: () => has('overload'), log: { error() {} } },
  } as unknown as ApiPorts)
}

/** Sends a request that fails these checks. */
async function ask(route: Route, wrong: readonly Check[]): Promise<number> {
  const isInvalid = wrong.includes('validation')
  const path = route.path.replaceAll(/\{\w+\}/g, wrong.includes('path') ? 'no-id' : PRINCIPAL.team.id)
  // Repeats a parameter, which makes any query invalid.
  const twice = Object.keys(route.query?.shape ?? {}).map((name) => `${name}=1&${name}=2`)
  const search = isInvalid ? (twice[0] ?? '') : (route.exampleQuery ?? '')
  const scenario = { to: 'qa@mailhatch.test', steps: [{ do: 'accept' }] }
  const valid = route.path === '/v1/scenarios' ? scenario : { name: 'orders', url: 'https://shop.example/' }
  const sent = isInvalid ? {} : valid
  const body = route.body ? { body: JSON.stringify(isInvalid && route.method === 'patch' ? { url: 1 } : sent) } : {}
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const init = { method: route.method.toUpperCase(), headers, ...body }
  return (await apiThatFails(wrong, route).request(`http://localhost${path}?${search}`, init)).status
}

function canFail({ method, query, body, params }: Route, check: Check): boolean {
  if (check === 'overload') return method !== 'get'
  if (check === 'validation') return (query ?? body) !== undefined
  return check !== 'path' || params !== undefined
}

const WITH_KEY = ROUTES.filter(({ access }) => scopesFor(access))

describe('overload, key, rate limit, validation, scope, path: checks come in this order', () => {
  test('control: such routes exist, and each check fails for some', () => {
    expect(WITH_KEY.length).toBeGreaterThan(20)
    for (const check of CHECKS) expect(WITH_KEY.some((route) => canFail(route, check))).toBe(true)
  })

  test.each(WITH_KEY.map((route) => [route.id, route] as const))('%s', async (_, route) => {
    const possible = CHECKS.filter((check) => canFail(route, check))
    for (const [index, check] of possible.entries()) {
      expect([check, await ask(route, possible.slice(index))]).toEqual([check, REFUSALS[check]])
    }
  })
})

test('an unknown path below /v1 needs a key too', async () => {
  const [route] = ROUTES
  for (const [path, method, status] of [
    ['/v1', 'GET', 404],
    ['/v1/nothing', 'GET', 404],
    ['/v1/messages/latest', 'DELETE', 405],
    ['/v1/messages', 'PUT', 405],
  ] as const) {
    const headers = { authorization: `Bearer ${KEY}` }
    const asked = { method, headers }
    expect((await apiThatFails([], route!).request(path, asked)).status).toBe(status)
    expect((await apiThatFails(['key'], route!).request(path, asked)).status).toBe(401)
  }
})
