import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { metadataPrefix } from '../../src/domain/object-keys.ts'
import { decodeMetadata, encodeMetadata, type Metadata } from '../../src/worker/metadata.ts'
import { BODY_KINDS, nameFor, REDIRECT, REDIRECT_HOST, startAnsweringApi } from './answering-api.ts'
import { keysIn, readObject } from './stored-mail.ts'
import { ADMIN_TOKEN, oddMail, ROOT_DOMAIN, type JourneySettings, type JourneyWorker } from './worker-journey.ts'

/** A sample of the statuses in the rule; the whole table is in announce.test.ts. */
const REPEATED = [307, 401, 403, 405, 407, 408, 421, 429, 500, 502, 503, 504, 599]
const WAITS_FOR_A_PERSON = [400, 410, 413, 422]
/** As many as a worker without memory reads, so that earlier tests have no effect. */
const OTHERS_FIRST = 26

const WAIT = { timeout: 60_000, interval: 200 }

/** How a worker on any runtime handles every kind of response. */
export function describeWorkerAnswers(
  name: string,
  start: (settings: JourneySettings) => Promise<JourneyWorker>,
  /** The network of a local workerd follows a Location and hides a 407, but shows a redirect without Location. */
  { showsAllAnswers, hasTimer }: { showsAllAnswers: boolean; hasTimer: boolean },
): void {
  describe(`responses to announcements, on ${name}`, () => {
    let api: Awaited<ReturnType<typeof startAnsweringApi>>
    let worker: JourneyWorker

    beforeAll(async () => {
      api = await startAnsweringApi()
      worker = await start({ webhookUrl: api.url, token: 'token-of-the-answers' })
    })
    afterAll(async () => {
      await worker.close()
      await api.close()
    })

    const ready = async () => {
      const response = await worker.fetch('/ready')
      // The response of the worker itself.
      return { status: response.status, ...((await response.json()) as { troubles: string[] }) }
    }

    test('a redirect is not followed, and readiness reports its target, until announcements succeed', async () => {
      const mailbox = showsAllAnswers ? nameFor(...REDIRECT) : nameFor(308, 'empty')
      await worker.deliver({ to: `${mailbox}@${ROOT_DOMAIN}`, raw: oddMail('Redirected') })
      await vi.waitUntil(async () => {
        await worker.sweep()
        return (await ready()).status === 503
      }, WAIT)
      const { troubles } = await ready()
      const where = showsAllAnswers ? ` and redirects to ${REDIRECT_HOST}` : ''
      expect(troubles).toEqual([
        `announcements are not reaching the API: WEBHOOK_URL responds with 308${where}. ` +
          'Redirects are not followed: set WEBHOOK_URL to the final address',
      ])
      expect(await metadataOf(mailbox)).toMatchObject({ status: 'unprocessed', lastStatus: 308, setAside: null })

      api.answer(mailbox, 200)
      await vi.waitUntil(async () => {
        await worker.sweep()
        return (await ready()).status === 200
      }, WAIT)
      expect(await keysIn(worker.bucket, metadataPrefix('processed', ROOT_DOMAIN, mailbox))).toHaveLength(1)
    })

    test.each(showsAllAnswers ? [407, 421] : [421])(
      'readiness reports a %i, which some clients hide',
      async (status) => {
        const mailbox = nameFor(status, 'html')
        await worker.deliver({ to: `${mailbox}@${ROOT_DOMAIN}`, raw: oddMail('Refused on the way') })
        await vi.waitUntil(async () => {
          await worker.sweep()
          return (await ready()).status === 503
        }, WAIT)
        const problem = `announcements are not reaching the API: WEBHOOK_URL responds with ${status}. Check the proxy in front of the API`
        expect((await ready()).troubles).toEqual([problem])
        api.answer(mailbox, 200)
        await vi.waitUntil(async () => {
          await worker.sweep()
          return (await ready()).status === 200
        }, WAIT)
        api.answer(mailbox, status)
      },
    )

    test('errors that are not about the mail are retried; our own 404, 413 and 422 are not', async () => {
      const cases = [
        ...REPEATED.map((status) => ({ mailbox: nameFor(status, 'html'), isRepeated: true })),
        ...WAITS_FOR_A_PERSON.map((status) => ({ mailbox: nameFor(status, 'html'), isRepeated: false })),
        ...BODY_KINDS.map((kind) => ({ mailbox: nameFor(404, kind), isRepeated: kind !== 'ours' })),
      ]
      for (const { mailbox } of cases) {
        await worker.deliver({ to: `${mailbox}@${ROOT_DOMAIN}`, raw: oddMail('Answered') })
      }
      const attempts = async (mailbox: string) => (await metadataOf(mailbox)).attempts
      const repeated = cases.filter(({ isRepeated }) => isRepeated)
      await vi.waitUntil(async () => {
        await worker.sweep()
        const counts = await Promise.all(repeated.map(({ mailbox }) => attempts(mailbox)))
        return counts.every((count) => count >= 2)
      }, WAIT)
      // While the others were retried, these were not.
      const kept = cases.filter(({ isRepeated }) => !isRepeated)
      expect(kept).toHaveLength(WAITS_FOR_A_PERSON.length + 1)
      for (const { mailbox } of kept) expect([mailbox, await attempts(mailbox)]).toEqual([mailbox, 1])
    })

    test('a mail on which the API fails while it accepts other mail is set aside, and is accepted after a manual retry', async () => {
      const poison = nameFor(500, 'other code')
      let others = 0
      const deliverOther = () => worker.deliver({ to: `other${others++}@${ROOT_DOMAIN}`, raw: oddMail('Harmless') })
      while (others < OTHERS_FIRST) await deliverOther()
      await worker.deliver({ to: `${poison}@${ROOT_DOMAIN}`, raw: oddMail('Poison') })
      await vi.waitUntil(async () => {
        await deliverOther()
        // Runs of the clock are a minute apart.
        if (!hasTimer) await ageLastAttempt(poison)
        await worker.sweep()
        return (await metadataOf(poison)).setAside !== null
      }, WAIT)
      const { id, ownFailures, setAside } = await metadataOf(poison)
      expect({ ownFailures, reason: setAside!.reason }).toEqual({
        ownFailures: 3,
        reason: 'Set aside after 3 failures: the API cannot store this mail (500), while it accepts other mail.',
      })
      const admin = async (path: string, method = 'GET') => {
        const response = await worker.fetch(path, { method, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
        // The worker's own answer.
        return (await response.json()) as { messages: Metadata[]; ok: boolean }
      }
      const { messages } = await admin(`/admin/set-aside?domain=${ROOT_DOMAIN}`)
      expect(messages.map((mail) => mail.id)).toContain(id)
      // Mail of earlier tests may be there too, but not accepted mail.
      expect(messages.filter(({ mailbox }) => mailbox.startsWith('other'))).toEqual([])
      const posts = () => api.received.filter((name) => name === poison).length
      const before = posts()
      await worker.sweep()
      expect(posts()).toBe(before)
      api.answer(poison, 200)
      const path = `/admin/inboxes/${poison}/messages/${id}/webhook?domain=${ROOT_DOMAIN}`
      expect(await admin(path, 'POST')).toMatchObject({ ok: true })
      expect(posts()).toBe(before + 1)
    })

    async function metadataOf(mailbox: string): Promise<Metadata> {
      return decodeMetadata(await readObject(worker.bucket, await keyOf(mailbox)))
    }

    async function keyOf(mailbox: string): Promise<string> {
      const [key] = await keysIn(worker.bucket, metadataPrefix('unprocessed', ROOT_DOMAIN, mailbox))
      return key!
    }

    async function ageLastAttempt(mailbox: string): Promise<void> {
      const metadata = await metadataOf(mailbox)
      if (metadata.lastAttemptAt === null) return
      const lastAttemptAt = new Date(Date.now() - 61_000).toISOString()
      await worker.bucket.put([{ key: await keyOf(mailbox), body: encodeMetadata({ ...metadata, lastAttemptAt }) }])
    }
  })
}
