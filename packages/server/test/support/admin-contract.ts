import type { Announcement } from '@mailhatch/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WORKER_ROUTES } from '../access/other-routes.ts'
import { describeInboxes } from './admin-contract-inboxes.ts'
import { describeMessages } from './admin-contract-messages.ts'
import { describeProvider } from './admin-contract-provider.ts'
import { describeRetry } from './admin-contract-retry.ts'
import { ADMIN_TOKEN, askAdmin, EMAIL_DOMAIN, type AdminSubject, type StartAdmin } from './admin-subject.ts'
import { startDouble, type Double } from './json-double.ts'

const ID = '01a1dd20-3c5f-7a3e-869b-e2d14e2e7482'

const ROUTES = WORKER_ROUTES.filter(({ path }) => path.startsWith('/admin/')).map(({ method, path }) => ({
  method,
  path: path.replace(':localPart', 'qa').replace(':id', ID),
}))

/** A worker with everything it communicates with. */
export type AdminStage = {
  worker: AdminSubject
  /** A double of the API: permanently refuses mailboxes whose name begins with `stay`, until it is changed. */
  api: Double
  provider: Double
}

/** The admin API from the user's point of view. `start` runs the worker on one of the runtimes. */
export function describeAdmin(name: string, start: StartAdmin): void {
  describe(`admin API: ${name}`, () => {
    // Filled before the first test. Starting a worker is expensive on some runtimes, so one serves many tests.
    const stage = {} as AdminStage
    let closed: AdminSubject
    let alone: AdminSubject

    beforeAll(async () => {
      stage.api = await startDouble(refuseStaying)
      stage.provider = await startDouble(() => ({ status: 500, body: 'not told what to say' }))
      stage.worker = await start({
        ADMIN_TOKEN,
        EMAIL_DOMAIN,
        EMAIL_WORKER_NAME: 'mailhatch-worker',
        WEBHOOK_URL: `${stage.api.url}/webhooks/inbox`,
        WEBHOOK_AUTH_TOKEN: 'webhook-token-of-the-tests',
        CLOUDFLARE_ZONE_ID: 'zone-of-the-tests',
        CLOUDFLARE_API_TOKEN: 'provider-token-of-the-tests',
        CLOUDFLARE_API_URL: stage.provider.url,
      })
      closed = await start({ EMAIL_DOMAIN })
      alone = await start({ EMAIL_DOMAIN, ADMIN_TOKEN })
    })
    afterAll(async () => {
      await Promise.all([stage.worker, closed, alone].map((worker) => worker?.close()))
      await Promise.all([stage.api, stage.provider].map((double) => double?.close()))
    })

    describe('access', () => {
      test.each(ROUTES)(
        '$method $path: 401 without the token, with another, and while none is set',
        async ({ method, path }) => {
          const statuses = async (url: string, headers: Record<string, string>) =>
            (await askAdmin(`${url}${path}`, { method, headers, token: null })).status
          const refused: Record<string, string>[] = [
            {},
            { authorization: 'Bearer another-token-of-the-tests' },
            { authorization: `Bearer ${ADMIN_TOKEN.slice(0, -1)}` },
            { authorization: `Bearer ${ADMIN_TOKEN}x` },
            { authorization: `Basic ${ADMIN_TOKEN}` },
            { authorization: ADMIN_TOKEN },
            { authorization: 'Bearer' },
          ]
          for (const headers of refused) expect(await statuses(stage.worker.url, headers)).toBe(401)
          for (const token of [ADMIN_TOKEN, 'undefined', 'null', '']) {
            expect(await statuses(closed.url, { authorization: `Bearer ${token}` })).toBe(401)
          }
        },
      )

      test('the token gives access, whatever the case of "bearer"; health needs none', async () => {
        for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
          const headers = { authorization: `${scheme} ${ADMIN_TOKEN}` }
          const { status } = await askAdmin(`${stage.worker.url}/admin/inboxes`, { headers, token: null })
          expect(status).toBe(200)
        }
        for (const { url } of [stage.worker, closed]) {
          const { status, body } = await askAdmin(`${url}/health`, { token: null })
          expect([status, body]).toEqual([200, { ok: true }])
        }
      })
    })

    describe('routes', () => {
      test.each([
        ['GET', '/nothing', 404, 'not_found'],
        ['GET', '/admin', 404, 'not_found'],
        ['GET', '/admin/nothing', 404, 'not_found'],
        ['GET', '/admin/inboxes/qa', 404, 'not_found'],
        ['POST', '/admin/inboxes', 405, 'method_not_allowed'],
        ['PUT', `/admin/inboxes/qa/messages/${ID}`, 405, 'method_not_allowed'],
        ['GET', `/admin/inboxes/qa/messages/${ID}/webhook`, 405, 'method_not_allowed'],
        ['GET', '/admin/subdomains', 405, 'method_not_allowed'],
        ['DELETE', '/health', 405, 'method_not_allowed'],
      ])('%s %s → %i %s', async (method, path, status, code) => {
        const answer = await askAdmin(`${stage.worker.url}${path}`, { method })
        expect([answer.status, answer.body['code']]).toEqual([status, code])
        expect(answer.headers.has('allow')).toBe(status === 405)
      })

      test('an unknown admin route is 401 first', async () => {
        expect((await askAdmin(`${stage.worker.url}/admin/nothing`, { token: null })).status).toBe(401)
      })
    })

    describeInboxes(stage)
    describeMessages(stage)
    describeRetry(stage, () => alone)
    describeProvider(stage, () => alone)
  })
}

export function refuseStaying({ body }: { body: unknown }) {
  // Only a worker posts here. Its question about scenarios has no mailbox.
  const { mailbox = '' } = body as Partial<Announcement>
  return mailbox.startsWith('stay')
    ? { status: 404, body: { error: 'no', code: 'mailbox_unknown' } }
    : { status: 200, body: { ok: true } }
}
