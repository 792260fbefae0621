import { beforeEach, describe, expect, test } from 'vitest'
import type { AdminStage } from './admin-contract.ts'
import { askAdmin, type AdminQuestion, type AdminSubject } from './admin-subject.ts'

const ZONE = '/zones/zone-of-the-tests/email/routing'

const RULE = {
  id: 'a7e6fb77503c41d8a7f3113c6918f10c',
  name: 'Mailhatch catch-all',
  enabled: true,
  actions: [{ type: 'worker', value: ['mailhatch-worker'] }],
  matchers: [{ type: 'all' }],
}
const RECORDS = [
  { type: 'MX', name: 'in.test', content: 'route1.mx.cloudflare.net', priority: 12, ttl: 1 },
  { type: 'TXT', name: 'in.test', content: 'v=spf1 include:_spf.mx.cloudflare.net ~all', ttl: 1 },
]

/** The envelope of every response of Cloudflare's API. */
function envelope(result: unknown) {
  return { status: 200, body: { success: true, errors: [], messages: [], result } }
}

function failure(status: number, ...messages: string[]) {
  const errors = messages.map((message, index) => ({ code: 2000 + index, message }))
  return { status, body: { success: false, errors, messages: [], result: null } }
}

/** Routes that manage Cloudflare, against a double of Cloudflare. `alone` lacks the settings for it. */
export function describeProvider(stage: AdminStage, alone: () => AdminSubject): void {
  const ask = (path: string, question: AdminQuestion = {}) => askAdmin<unknown>(`${stage.worker.url}${path}`, question)
  const post = (path: string, body?: string | object) =>
    ask(path, { method: 'POST', ...(body === undefined ? {} : { body }) })

  /** All requests of the worker to the provider, each with the token. */
  function asked(): [method: string, path: string, body: unknown][] {
    for (const { authorization } of stage.provider.heard) {
      expect(authorization).toBe('Bearer provider-token-of-the-tests')
    }
    return stage.provider.heard.map(({ method, path, body }) => [method, path, body])
  }

  beforeEach(() => {
    stage.provider.heard.length = 0
    stage.provider.say = () => envelope({})
  })

  describe('provider', () => {
    test('GET /admin/catch-all: the current rule', async () => {
      stage.provider.say = () => envelope(RULE)
      expect(await ask('/admin/catch-all')).toMatchObject({ status: 200, body: RULE })
      expect(asked()).toEqual([['GET', `${ZONE}/rules/catch_all`, null]])
    })

    test.each([
      [undefined, true],
      ['', true],
      [{}, true],
      [{ enabled: true }, true],
      [{ enabled: false }, false],
    ])('POST /admin/catch-all/worker with %o: enabled %s', async (body, enabled) => {
      expect(await post('/admin/catch-all/worker', body)).toMatchObject({ status: 200, body: { ok: true } })
      const { id: _, ...rule } = RULE
      expect(asked()).toEqual([['PUT', `${ZONE}/rules/catch_all`, { ...rule, enabled }]])
    })

    test.each([
      ['', '/dns'],
      ['?subdomain=team', '/dns?subdomain=team.in.test'],
      ['?subdomain=team.in.test', '/dns?subdomain=team.in.test'],
    ])('GET /admin/email-routing/dns%s: the current records', async (query, path) => {
      stage.provider.say = () => envelope(RECORDS)
      expect(await ask(`/admin/email-routing/dns${query}`)).toMatchObject({ status: 200, body: RECORDS })
      expect(asked()).toEqual([['GET', `${ZONE}${path}`, null]])
    })

    test.each([
      [undefined, {}],
      [{}, {}],
      [{ name: '' }, {}],
      [{ name: 'in.test' }, { name: 'in.test' }],
      [{ name: 'Team' }, { name: 'team.in.test' }],
    ])('POST /admin/email-routing/dns/enable with %o', async (body, sent) => {
      expect(await post('/admin/email-routing/dns/enable', body)).toMatchObject({ status: 200, body: { ok: true } })
      expect(asked()).toEqual([['POST', `${ZONE}/dns`, sent]])
    })

    test.each([
      [{ subdomain: 'team' }, 'team.in.test'],
      [{ subdomain: ' Team ' }, 'team.in.test'],
      [{ subdomain: 'a.b' }, 'a.b.in.test'],
      [{ subdomain: 'team.in.test' }, 'team.in.test'],
      [{ domain: 'team.in.test' }, 'team.in.test'],
      [{ domain: 'in.test' }, 'in.test'],
    ])('POST /admin/subdomains with %o: %s', async (body, domain) => {
      expect(await post('/admin/subdomains', body)).toMatchObject({ status: 200, body: { ok: true, domain } })
      expect(asked()).toEqual([['POST', `${ZONE}/dns`, { name: domain }]])
    })

    test.each<[string, string | object | undefined, string | undefined]>([
      ['/admin/subdomains', undefined, 'Provide domain or subdomain'],
      ['/admin/subdomains', {}, 'Provide domain or subdomain'],
      ['/admin/subdomains', { subdomain: '' }, 'Provide domain or subdomain'],
      ['/admin/subdomains', { domain: 'other.example' }, 'Domain not managed by this worker'],
      ['/admin/subdomains', { domain: 'notin.test' }, 'Domain not managed by this worker'],
      ['/admin/subdomains', { subdomain: 'not a label' }, undefined],
      ['/admin/subdomains', { subdomain: 7 }, undefined],
      ['/admin/subdomains', '[]', undefined],
      ['/admin/subdomains', 'null', undefined],
      ['/admin/subdomains', '{ half', undefined],
      ['/admin/catch-all/worker', { enabled: 'yes' }, undefined],
      ['/admin/email-routing/dns/enable', { name: 'no domain' }, undefined],
    ])('POST %s with %o → 400, and no request is sent', async (path, body, error) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await ask(path, { method: 'POST', headers, ...(body === undefined ? {} : { body }) })
      expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed', ...(error ? { error } : {}) } })
      expect(asked()).toEqual([])
    })

    test('a body that is not JSON, or too large, is refused', async () => {
      const headers = { 'content-type': 'text/plain' }
      const text = await ask('/admin/subdomains', { method: 'POST', headers, body: 'subdomain=team' })
      expect(text).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
      const large = await post('/admin/subdomains', { subdomain: 'x'.repeat(20_000) })
      expect(large).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
      expect(asked()).toEqual([])
    })

    test.each([
      ['refused with two messages', failure(400, 'Zone not found', 'Ask support'), ['Zone not found', 'Ask support']],
      ['a wrong token', failure(403, 'Authentication error'), ['Authentication error']],
      ['success is false, though 200', failure(200, 'Rule is locked'), ['Rule is locked']],
      ['500 though success', { ...envelope({}), status: 500 }, ['It responded with 500.']],
      ['no JSON', { status: 200, body: '<html>Bad gateway</html>' }, ['It responded with 200.']],
      ['JSON, but no envelope', { status: 200, body: '"hello"' }, ['It responded with 200.']],
      [
        'errors that are none',
        { status: 502, body: { success: false, errors: [null, {}] } },
        ['It responded with 502.'],
      ],
      ['a redirect', { status: 302, body: {} }, ['It responded with 302.']],
    ])('502 with the provider’s messages: %s', async (_, said, messages) => {
      stage.provider.say = () => said
      for (const answer of [await ask('/admin/catch-all'), await post('/admin/subdomains', { subdomain: 'team' })]) {
        expect(answer).toMatchObject({
          status: 502,
          body: { code: 'provider_failed', details: { provider: messages } },
        })
      }
    })

    test('a 500 names every setting that is missing', async () => {
      const both = ['CLOUDFLARE_API_TOKEN', 'CLOUDFLARE_ZONE_ID']
      for (const [method, path, missing] of [
        ['GET', '/admin/catch-all', both],
        ['POST', '/admin/catch-all/worker', [...both, 'EMAIL_WORKER_NAME']],
        ['GET', '/admin/email-routing/dns', both],
        ['POST', '/admin/email-routing/dns/enable', both],
        ['POST', '/admin/subdomains', both],
      ] as const) {
        const { status, body } = await askAdmin(`${alone().url}${path}`, { method })
        expect([status, body['code']]).toEqual([500, 'not_configured'])
        expect(Object.keys(body['details'] as object).sort()).toEqual(missing)
        for (const variable of missing) expect(body['error']).toContain(variable)
      }
    })
  })
}
