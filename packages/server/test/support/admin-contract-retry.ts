import type { Announcement } from '@mailhatch/sdk'
import { afterEach, describe, expect, test } from 'vitest'
import { refuseStaying, type AdminStage } from './admin-contract.ts'
import { askAdmin, rawMail, type AdminSubject, type ListedMessage, type MessageList } from './admin-subject.ts'

type Retried = { retried: number; processed: number; failed: number; cursor?: string }

/** Retries requested by an operator. `alone` has no API to announce to. */
export function describeRetry(stage: AdminStage, alone: () => AdminSubject): void {
  const path = (localPart: string, rest = '') => `/admin/inboxes/${localPart}/messages${rest}`
  const messagesOf = async (url: string, localPart: string, query = '') =>
    (await askAdmin<MessageList>(`${url}${path(localPart, query)}`)).body.messages
  const retry = (localPart: string, id: string, query = '') =>
    askAdmin(`${stage.worker.url}${path(localPart, `/${id}/webhook${query}`)}`, { method: 'POST' })
  const retryAll = async (query: string) =>
    (await askAdmin<Retried>(`${stage.worker.url}/admin/webhook/retry?${query}`, { method: 'POST' })).body
  const accept = () => (stage.api.say = () => ({ status: 200, body: { ok: true } }))

  /** Mail that the API has refused permanently: only a retry moves it. */
  async function refusedMail(localPart: string, domain = 'in.test'): Promise<ListedMessage> {
    await stage.worker.deliver(`${localPart}@${domain}`, rawMail(`to ${localPart}`))
    const query = `?domain=${domain}`
    await expect.poll(async () => (await messagesOf(stage.worker.url, localPart, query))[0]?.attempts).toBe(1)
    return (await messagesOf(stage.worker.url, localPart, query))[0]!
  }

  afterEach(() => {
    stage.api.say = refuseStaying
  })

  describe('retry', () => {
    test('2xx: the message is announced again and is processed', async () => {
      const message = await refusedMail('stay-retry')
      expect(message).toMatchObject({ status: 'unprocessed', lastError: expect.stringContaining('404') })
      accept()
      stage.api.heard.length = 0
      const { status, body } = await retry('stay-retry', message.id)
      expect([status, body]).toEqual([200, { ok: true, status: 'processed' }])
      const [heard] = stage.api.heard.filter(({ body }) => (body as Announcement).id === message.id)
      expect(heard).toMatchObject({
        method: 'POST',
        path: '/webhooks/inbox',
        authorization: 'Bearer webhook-token-of-the-tests',
        body: {
          event: 'email.received',
          id: message.id,
          mailbox: 'stay-retry',
          subject: 'to stay-retry',
          receivedAt: message.receivedAt,
          plainContent: 'Hello\n',
        },
      })
      expect(await messagesOf(stage.worker.url, 'stay-retry')).toMatchObject([{ status: 'processed', lastError: null }])
      expect(await messagesOf(stage.worker.url, 'stay-retry', '?status=unprocessed')).toEqual([])
    })

    test.each([404, 401, 422, 500, 503])('%i: the message stays, and the attempt is counted', async (refusal) => {
      const message = await refusedMail(`stay-${refusal}`)
      stage.api.say = () => ({ status: refusal, body: { error: 'no' } })
      const { status, body } = await retry(`stay-${refusal}`, message.id)
      expect(status).toBe(502)
      expect(body).toMatchObject({ ok: false, status: 'unprocessed', webhookStatus: refusal })
      const [kept] = await messagesOf(stage.worker.url, `stay-${refusal}`, '?status=unprocessed')
      expect(kept).toMatchObject({ id: message.id, status: 'unprocessed' })
      expect(kept!.attempts).toBeGreaterThanOrEqual(2)
      // It can still be retried.
      accept()
      expect([200, 409]).toContain((await retry(`stay-${refusal}`, message.id)).status)
      expect(await messagesOf(stage.worker.url, `stay-${refusal}`)).toMatchObject([{ status: 'processed' }])
    })

    test('a processed message: 409', async () => {
      await stage.worker.deliver('done-before@in.test', rawMail('done'))
      const processed = () => messagesOf(stage.worker.url, 'done-before', '?status=processed')
      await expect.poll(processed).toHaveLength(1)
      const { status, body } = await retry('done-before', (await processed())[0]!.id)
      expect([status, body['error'], body['code']]).toEqual([409, 'Already processed', 'already_processed'])
    })

    test('no such message: 404', async () => {
      const { status, body } = await retry('stay-nobody', '01a1dd20-3c5f-7a3e-869b-e2d14e2e7482')
      expect([status, body['error']]).toEqual([404, 'Message not found'])
    })

    test('without a WEBHOOK_URL: 409, for one and for all', async () => {
      await alone().deliver('qa@in.test', rawMail('stored only'))
      const [message] = await messagesOf(alone().url, 'qa')
      expect(message).toMatchObject({ status: 'unprocessed', attempts: 0 })
      for (const route of [path('qa', `/${message!.id}/webhook`), '/admin/webhook/retry']) {
        const { status, body } = await askAdmin(`${alone().url}${route}`, { method: 'POST' })
        expect([status, body['error']]).toEqual([409, 'Webhook not configured'])
      }
    })

    test('all messages of a domain: counted, limited, continued', async () => {
      for (const name of ['stay-1', 'stay-2', 'stay-3', 'stay-4', 'stay-5']) await refusedMail(name, 'all.in.test')
      expect(await retryAll('domain=all')).toEqual({ retried: 5, processed: 0, failed: 5 })
      stage.api.say = ({ body }) => ({ status: (body as Announcement).mailbox === 'stay-2' ? 422 : 200, body: {} })
      const first = await retryAll('domain=all.in.test&limit=3')
      expect(first).toMatchObject({ retried: 3, processed: 2, failed: 1 })
      const rest = await retryAll(`domain=all.in.test&limit=3&cursor=${encodeURIComponent(first.cursor!)}`)
      expect(rest).toEqual({ retried: 2, processed: 2, failed: 0 })
      accept()
      expect(await retryAll('domain=all')).toEqual({ retried: 1, processed: 1, failed: 0 })
      expect(await retryAll('domain=all')).toEqual({ retried: 0, processed: 0, failed: 0 })
    })

    test.each(['limit=some', 'domain=no%20domain', 'domain=all&cursor=elsewhere'])('?%s → 400', async (query) => {
      const { status } = await askAdmin(`${stage.worker.url}/admin/webhook/retry?${query}`, { method: 'POST' })
      expect(status).toBe(400)
    })
  })
}
