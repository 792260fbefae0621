import { randomUUID } from 'node:crypto'
import type { WebhookEndpoint } from '@mailhatch/sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startWebhookJourney, type Created } from './support/webhook-journey.ts'

const { server, call, add, start, makeKey } = await startWebhookJourney()
const { name: teamName } = (await server.me()).team

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('endpoints', () => {
  test('contract: an endpoint is created with a URL, its secret is shown once, and the list is newest first', async () => {
    const wish = { url: 'https://shop.example/hooks', description: 'Orders', mailbox: 'Orders', tag: ' Run-1 ' }
    const { endpoint, secret } = await add(wish)
    expect(endpoint).toEqual({
      id: expect.stringMatching(ID),
      url: 'https://shop.example/hooks',
      description: 'Orders',
      secretMasked: `${secret.slice(0, 8)}…${secret.slice(-4)}`,
      events: ['email.received'],
      mailbox: 'orders',
      tag: 'run-1',
      active: true,
      disabledReason: null,
      createdAt: expect.stringMatching(TIME),
      updatedAt: endpoint.createdAt,
    })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const newer = await add({ url: 'https://shop.example/newer', description: '', mailbox: '', tag: null })
    expect(newer.endpoint).toMatchObject({ description: null, mailbox: null, tag: null })
    expect(newer.secret).not.toBe(secret)
    const { body } = await call<WebhookEndpoint[]>('GET', '')
    expect(body.data).toEqual([newer.endpoint, endpoint])
  })

  test('contract: an endpoint is changed in part, disabled and enabled', async () => {
    const { id, endpoint, mailbox, deliveries } = await start()
    const change = async (body: object) => (await call<WebhookEndpoint>('PATCH', `/${id}`, body)).body.data
    expect(await change({})).toMatchObject({ url: endpoint.url, active: true, mailbox })
    expect(await change({ description: 'new' })).toEqual({
      ...endpoint,
      description: 'new',
      updatedAt: expect.stringMatching(TIME),
    })
    expect(await change({ url: `${endpoint.url}/2`, description: null })).toMatchObject({
      url: `${endpoint.url}/2`,
      description: null,
    })
    expect(await change({ active: false })).toMatchObject({ id, active: false, disabledReason: null })
    await server.store({ mailbox })
    expect(await deliveries()).toEqual([])
    expect(await change({ active: true })).toMatchObject({ id, active: true })
    const { id: messageId } = await server.store({ mailbox })
    expect(await deliveries()).toMatchObject([{ messageId }])
  })

  test('contract: pending deliveries of a disabled endpoint fail with `endpoint inactive`', async () => {
    const { id, mailbox, settled, deliveries } = await start(() => ({ status: 500 }))
    await server.store({ mailbox })
    expect(await settled(1)).toMatchObject([{ status: 'pending', nextAttemptAt: expect.stringMatching(TIME) }])
    await call('PATCH', `/${id}`, { active: false })
    expect(await deliveries()).toMatchObject([{ status: 'failed', error: 'endpoint inactive', nextAttemptAt: null }])
  })

  test('contract: a deleted endpoint disappears with its deliveries, and its URL can be used again', async () => {
    const { id, endpoint, mailbox, settled } = await start()
    await server.store({ mailbox })
    const [delivery] = await settled(1)
    const { status, body } = await call('DELETE', `/${id}`)
    expect([status, body.data]).toEqual([200, { id }])
    for (const [method, path, given] of routesOf(id, delivery!.id))
      expect((await call(method, path, given)).status).toBe(404)
    expect((await add({ url: endpoint.url })).endpoint.id).not.toBe(id)
  })

  test.each([
    ['http://shop.example/', 'webhook_url_insecure', 'Webhook URL must use HTTPS.'],
    ['ftp://shop.example/', 'webhook_url_insecure', 'Webhook URL must use HTTPS.'],
    ['https://10.1.2.3/', 'webhook_url_private', 'Webhook URL must not point to a private address.'],
    ['https://localhost/', 'webhook_url_private', 'Webhook URL must not point to a private address.'],
    ['https://[::1]/', 'webhook_url_private', 'Webhook URL must not point to a private address.'],
    ['no address', 'validation_failed', 'Webhook URL is not a valid URL.'],
  ])('contract: the URL %s is refused with 400 %s, also in an update', async (target, code, error) => {
    const { id, endpoint } = await start()
    for (const answer of [await call('POST', '', { url: target }), await call('PATCH', `/${id}`, { url: target })]) {
      expect([answer.status, answer.body]).toMatchObject([400, { code, error, details: { url: [error] } }])
    }
    const { data } = (await call<WebhookEndpoint[]>('GET', '')).body
    expect(data.map(({ url }) => url)).toEqual([endpoint.url])
  })

  test.each([
    ['url', {}],
    ['description', { description: 'x'.repeat(201) }],
    ['mailbox', { mailbox: 'a@b.example' }],
    ['mailbox', { mailbox: 'a+b' }],
    ['tag', { tag: 'x'.repeat(65) }],
  ])('an invalid %s is 400 with details: %o', async (field, wish) => {
    const { status, body } = await call('POST', '', field === 'url' ? wish : { url: 'https://shop.example/', ...wish })
    expect([status, body.code, Object.keys(body.details!)]).toEqual([400, 'validation_failed', [field]])
  })

  test('a description of 200 characters and a tag of 64 are accepted', async () => {
    const wish = { url: 'https://shop.example/long', description: 'x'.repeat(200), tag: 'x'.repeat(64) }
    expect((await add(wish)).endpoint).toMatchObject({ description: wish.description, tag: wish.tag })
  })

  test('contract: the same URL twice is 409, also in an update', async () => {
    const [one, other] = [await add({ url: 'https://shop.example/1' }), await add({ url: 'https://shop.example/2' })]
    for (const url of [one.endpoint.url, 'HTTPS://Shop.example:443/./1#part']) {
      const again = await call('POST', '', { url })
      expect([again.status, again.body.code]).toEqual([409, 'webhook_exists'])
    }
    const change = await call('PATCH', `/${other.endpoint.id}`, { url: one.endpoint.url })
    expect([change.status, change.body.code]).toEqual([409, 'webhook_exists'])
    expect((await call('PATCH', `/${one.endpoint.id}`, { url: one.endpoint.url })).status).toBe(200)
  })

  test('contract: a 21st endpoint is 403, also with concurrent requests', async () => {
    const present = (await call<WebhookEndpoint[]>('GET', '')).body.data.length
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        call<Created>('POST', '', { url: `https://shop.example/many/${index}` }),
      ),
    )
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.data.endpoint.id)
    onTestFinished(async () => void (await Promise.all(made.map((id) => call('DELETE', `/${id}`)))))
    expect(made).toHaveLength(20 - present)
    const refused = answers.filter(({ status }) => status !== 201).map(({ status, body }) => `${status} ${body.code}`)
    expect(new Set(refused)).toEqual(new Set(['403 webhook_limit']))
  })

  test('contract: a plan without webhooks is 403; endpoints of a former plan receive nothing', async () => {
    await server.command('teams', 'create', 'Shrinking', '--domain', 'shrinking.test', '--plan', 'pro')
    const key = await makeKey('--team', 'Shrinking')
    const { body } = await call<Created>('POST', '', { url: 'http://127.0.0.1:9/' }, key)
    const { id } = body.data.endpoint
    const count = async () => (await call<[]>('GET', `/${id}/deliveries`, undefined, key)).body.data.length
    await server.store({ domain: 'shrinking.test' })
    expect(await count()).toBe(1)
    await server.command('teams', 'plan', 'Shrinking', 'starter')
    await server.store({ domain: 'shrinking.test' })
    expect(await count()).toBe(1)
    const refused = await call('POST', '', { url: 'http://127.0.0.1:9/2' }, key)
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({
      error: 'Webhooks are not available on your current plan.',
      code: 'webhooks_unavailable',
    })
    expect((await call('DELETE', `/${id}`, undefined, key)).status).toBe(200)
  })
})

describe('access', () => {
  test('contract: endpoints and deliveries of another team are 404, like unknown ones', async () => {
    await server.command('teams', 'create', 'Strangers', '--domain', 'strangers.test', '--plan', 'pro')
    const stranger = await makeKey('--team', 'Strangers')
    const { id, mailbox, settled } = await start()
    await server.store({ mailbox })
    const [delivery] = await settled(1)
    for (const [method, path, body] of routesOf(id, delivery!.id)) {
      const foreign = await call(method, path, body, stranger)
      const unknown = await call(method, path.replace(id, randomUUID()), body, stranger)
      expect([method, path, foreign.status]).toEqual([method, path, 404])
      expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' })
    }
    const own = await call<Created>('POST', '', { url: 'http://127.0.0.1:9/' }, stranger)
    const across = `/${own.body.data.endpoint.id}/deliveries/${delivery!.id}/replay`
    expect((await call('POST', across, undefined, stranger)).status).toBe(404)
    // Control: all of them work for the team itself.
    for (const [method, path, body] of routesOf(id, delivery!.id))
      expect((await call(method, path, body)).status).toBeLessThan(300)
  })

  test('contract: only an api.full key has access', async () => {
    const reading = await makeKey('--team', teamName, '--scope', 'email.full')
    const { id } = await start()
    for (const [method, path, body] of [
      ['GET', ''],
      ['POST', '', { url: 'https://a.example/' }],
      ...routesOf(id, id),
    ] as const) {
      const { status, body: answer } = await call(method, path, body, reading)
      expect([method, path, status, answer.code]).toEqual([method, path, 403, 'forbidden'])
    }
    // Input is validated before access.
    const badly = await call('POST', '', { url: 'https://10.0.0.1/' }, reading)
    expect([badly.status, badly.body.code]).toEqual([400, 'webhook_url_private'])
  })
})

/** Every route of one endpoint, deleting last. */
function routesOf(id: string, deliveryId: string): [string, string, unknown?][] {
  return [
    ['GET', `/${id}/deliveries`],
    ['PATCH', `/${id}`, { active: true }],
    ['POST', `/${id}/test`],
    ['POST', `/${id}/secret`],
    ['POST', `/${id}/deliveries/${deliveryId}/replay`],
    ['POST', `/${id}/deliveries/replay?status=failed`],
    ['DELETE', `/${id}`],
  ]
}
