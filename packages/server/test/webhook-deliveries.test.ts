import { randomUUID } from 'node:crypto'
import { verifyWebhook, type WebhookDelivery, type WebhookEndpoint } from '@mailhatch/sdk'
import { describe, expect, test, vi } from 'vitest'
import { post } from './support/announce.ts'
import { ask } from './support/ask.ts'
import { startWebhookJourney } from './support/webhook-journey.ts'
import { startWebhookReceiver, type ReceivedWebhook } from './support/webhook-receiver.ts'

const { server, call, add, start } = await startWebhookJourney()
const { url, apiKey } = server

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The event, if it is signed with the secret. */
function verify({ body, headers }: ReceivedWebhook, secret: string) {
  // Our headers have a single value in Node.
  return verifyWebhook({ secret, body, headers: new Headers(headers as Record<string, string>) })
}

describe('deliveries', () => {
  test('contract: what is posted, how it is signed, and how it is listed', async () => {
    const { receiver, mailbox, secret, settled } = await start(() => ({ status: 200, body: 'thanks' }))
    const sent = await server.store({ mailbox, tag: 'login', subject: 'Your code: 123456 👋', from: 'a@b.example' })
    const [delivery] = await settled(1)
    expect(delivery).toEqual({
      id: expect.stringMatching(ID),
      event: 'email.received',
      messageId: sent.id,
      status: 'success',
      httpStatus: 200,
      responseBody: 'thanks',
      latencyMs: expect.any(Number),
      attempt: 1,
      nextAttemptAt: null,
      error: null,
      createdAt: expect.stringMatching(TIME),
    })
    const [webhook] = receiver.received
    const event = await verify(webhook!, secret)
    expect(event).toEqual({
      event: 'email.received',
      timestamp: expect.stringMatching(TIME),
      data: {
        id: sent.id,
        mailbox,
        mailboxWithTag: `${mailbox}+login`,
        tag: 'login',
        from: 'a@b.example',
        to: sent.to,
        subject: 'Your code: 123456 👋',
        receivedAt: sent.receivedAt,
        domain: 'mailhatch.test',
      },
    })
    expect(webhook!.body).toBe(JSON.stringify(event))
  })

  test('an endpoint receives mail for its mailbox and tag, once, from its creation on', async () => {
    const mailbox = server.newMailbox()
    const before = await server.store({ mailbox, tag: 'a' })
    const receiver = await startWebhookReceiver()
    const paths: Record<string, object> = {
      '/all': { mailbox },
      '/a': { mailbox, tag: 'A' },
      '/other': { mailbox: 'x' },
    }
    for (const [path, filter] of Object.entries(paths)) await add({ url: receiver.url + path, ...filter })
    expect((await post(url, before)).body.status).toBe('duplicate')
    const [tagged, plain] = [await server.store({ mailbox, tag: 'a' }), await server.store({ mailbox })]
    expect((await post(url, tagged)).body.status).toBe('duplicate')
    await vi.waitUntil(() => receiver.received.length >= 3, 20_000)
    const told = receiver.received.map(({ path, messageId }) => `${path} ${messageId}`)
    expect(told.sort()).toEqual([`/a ${tagged.id}`, `/all ${plain.id}`, `/all ${tagged.id}`].sort())
  })

  test('a filter uses the name: after a rename the mailbox does not match', async () => {
    const { receiver, mailbox } = await start()
    const { body } = await ask<{ data: { id: string } }>(`${url}/v1/mailboxes`, {
      method: 'POST',
      key: apiKey,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: mailbox }),
    })
    const renamed = `${mailbox}-renamed`
    await ask(`${url}/v1/mailboxes/${body.data.id}`, {
      method: 'PATCH',
      key: apiKey,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: renamed }),
    })
    await server.store({ mailbox: renamed })
    const { id } = await server.store({ mailbox })
    await vi.waitUntil(() => receiver.received.length > 0, 20_000)
    expect(receiver.received.map(({ messageId }) => messageId)).toEqual([id])
  })

  test('with any text from a sender, the body stays below 20 kB and is JSON', async () => {
    const { receiver, mailbox, secret, settled } = await start()
    const long = '\u0001"👋'.repeat(50_000)
    await server.store({ mailbox, subject: long, from: long, to: long })
    await settled(1)
    const [webhook] = receiver.received
    expect(Buffer.byteLength(webhook!.body)).toBeLessThanOrEqual(20_000)
    const { data } = await verify(webhook!, secret)
    expect(long.startsWith(data.subject)).toBe(true)
    expect(data.subject.length).toBeGreaterThan(100)
  })

  test('contract: the list has pages and a status filter', async () => {
    const statuses = [200, 500, 200, 410]
    const { id, mailbox, settled, deliveries } = await start(() => ({ status: statuses.shift()! }))
    const sent = []
    for (const count of [1, 2, 3]) {
      sent.unshift((await server.store({ mailbox })).id)
      await settled(count)
    }
    const ids = (all: WebhookDelivery[]) => all.map(({ messageId }) => messageId)
    expect(ids(await deliveries())).toEqual(sent)
    expect(ids(await deliveries('?limit=2'))).toEqual(sent.slice(0, 2))
    expect(ids(await deliveries('?limit=2&offset=2'))).toEqual(sent.slice(2))
    expect(ids(await deliveries('?status=pending'))).toEqual([sent[1]])
    expect(ids(await deliveries('?status=success'))).toEqual([sent[0], sent[2]])
    expect(ids(await deliveries('?status=failed'))).toEqual([])
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'offset=-1', 'status=done', 'limit=1&limit=2']) {
      const { status, body } = await call('GET', `/${id}/deliveries?${query}`)
      expect([query, status, body.code]).toEqual([query, 400, 'validation_failed'])
      expect(Object.keys(body.details!)).toEqual([query.split('=')[0]])
    }
    expect(await deliveries('?limit=100')).toHaveLength(3)
  })

  test('contract: a test event is sent once, returns the response and is recorded', async () => {
    let status = 200
    const { id, receiver, secret, deliveries } = await start(() => ({ status, body: 'seen' }))
    const sendTest = async () => (await call<WebhookDelivery>('POST', `/${id}/test`)).body.data
    const well = await sendTest()
    expect(well).toMatchObject({
      event: 'email.received',
      messageId: null,
      status: 'success',
      httpStatus: 200,
      attempt: 1,
    })
    const { data } = await verify(receiver.received[0]!, secret)
    expect(data.id).toBe('00000000-0000-0000-0000-000000000000')
    status = 503
    const failed = await sendTest()
    expect(failed).toMatchObject({ status: 'failed', httpStatus: 503, responseBody: 'seen', nextAttemptAt: null })
    await call('PATCH', `/${id}`, { active: false })
    expect(await sendTest()).toMatchObject({ status: 'failed', httpStatus: 503 })
    expect(receiver.received).toHaveLength(3)
    expect((await deliveries()).slice(1)).toEqual([failed, well])
  })

  test('contract: a new secret signs at once, and the old one still signs too', async () => {
    const { id, receiver, mailbox, secret, settled } = await start()
    const { status, body } = await call<{ secret: string }>('POST', `/${id}/secret`)
    expect(status).toBe(200)
    const { secret: newSecret } = body.data
    expect(newSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(newSecret).not.toBe(secret)
    await server.store({ mailbox })
    await settled(1)
    const [webhook] = receiver.received
    for (const one of [secret, newSecret]) await verify(webhook!, one)
    const another = `whsec_${Buffer.alloc(32).toString('base64')}`
    await expect(verify(webhook!, another)).rejects.toThrow('signature')
    const { data } = (await call<WebhookEndpoint[]>('GET', '')).body
    expect(data.find((endpoint) => endpoint.id === id)!.secretMasked).toBe(
      `${newSecret.slice(0, 8)}…${newSecret.slice(-4)}`,
    )
  })

  test('a secret that is replaced twice still signs: a receiver with any of the three can verify', async () => {
    const { id, receiver, mailbox, secret, settled } = await start()
    const rotate = async () => (await call<{ secret: string }>('POST', `/${id}/secret`)).body.data.secret
    const secrets = [secret, await rotate(), await rotate()]
    await server.store({ mailbox })
    await settled(1)
    for (const one of secrets) await verify(receiver.received[0]!, one)
  })

  test('contract: one delivery, or all failed ones, are sent again with the same id and body', async () => {
    let status = 410
    const { id, receiver, mailbox, settled, succeeded, deliveries } = await start(() => ({ status }))
    await server.store({ mailbox })
    const [failed] = await settled(1)
    expect(failed).toMatchObject({ status: 'failed', httpStatus: 410 })
    const replay = `/${id}/deliveries/${failed!.id}/replay`
    const all = `/${id}/deliveries/replay?status=failed`
    for (const path of [replay, all]) {
      const inactive = await call('POST', path)
      expect([inactive.status, inactive.body.code]).toEqual([409, 'endpoint_inactive'])
    }
    await call('PATCH', `/${id}`, { active: true })
    expect((await call('POST', replay.replace(failed!.id, randomUUID()))).status).toBe(404)
    status = 200
    const replayed = await call<WebhookDelivery>('POST', replay)
    expect([replayed.status, replayed.body.data]).toMatchObject([
      202,
      { id: failed!.id, status: 'pending', attempt: 1 },
    ])
    await succeeded(1)
    expect(await deliveries()).toMatchObject([{ id: failed!.id, attempt: 2, httpStatus: 200, error: null }])
    const bulk = await call<{ replayed: number }>('POST', all)
    expect([bulk.status, bulk.body.data]).toEqual([202, { replayed: 0 }])
    const [first, second] = receiver.received
    expect([second!.id, second!.body]).toEqual([first!.id, first!.body])
  })

  test('contract: all failed deliveries are replayed with one request', async () => {
    let status = 500
    const { id, mailbox, settled, succeeded, deliveries } = await start(() => ({ status }))
    for (let count = 0; count < 3; count++) await server.store({ mailbox })
    await settled(3)
    await call('PATCH', `/${id}`, { active: false })
    await call('PATCH', `/${id}`, { active: true })
    expect(await deliveries('?status=failed')).toHaveLength(3)
    status = 200
    expect((await call('POST', `/${id}/deliveries/replay?status=failed`)).body.data).toEqual({ replayed: 3 })
    await succeeded(3)
  })
})
