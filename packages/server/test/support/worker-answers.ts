import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { metadataPrefix } from '../../src/domain/object-keys.ts'
import { decodeMetadata, type Metadata } from '../../src/worker/metadata.ts'
import { BODY_KINDS, nameFor, REDIRECT, REDIRECT_HOST, startAnsweringApi } from './answering-api.ts'
import { keysIn, readObject } from './stored-mail.ts'
import { oddMail, ROOT_DOMAIN, type JourneySettings, type JourneyWorker } from './worker-journey.ts'

/** A sample of what the rule names; the whole table is in retry.test.ts. */
const REPEATED = [307, 401, 403, 405, 407, 421, 429, 500, 503]
const WAITS_FOR_A_PERSON = [400, 410, 413, 422]

const WAIT = { timeout: 60_000, interval: 200 }

/** What a worker makes of every kind of answer, on whatever it runs. */
export function describeWorkerAnswers(
  name: string,
  start: (settings: JourneySettings) => Promise<JourneyWorker>,
  /** The network of a local workerd follows a Location before the worker sees it; a redirect without one it shows. */
  { showsLocation }: { showsLocation: boolean },
): void {
  describe(`answers to announcements, on ${name}`, () => {
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
      // The worker's own answer.
      return { status: response.status, ...((await response.json()) as { troubles: string[] }) }
    }

    test('a redirect is not followed, and readiness says where it points, until announcements pass', async () => {
      const mailbox = showsLocation ? nameFor(...REDIRECT) : nameFor(308, 'empty')
      await worker.deliver({ to: `${mailbox}@${ROOT_DOMAIN}`, raw: oddMail('Redirected') })
      await vi.waitUntil(async () => {
        await worker.sweep()
        return (await ready()).status === 503
      }, WAIT)
      const { troubles } = await ready()
      const where = showsLocation ? ` and redirects to ${REDIRECT_HOST}` : ''
      expect(troubles).toEqual([
        `announcements are not reaching the API: WEBHOOK_URL answers 308${where}. ` +
          'Redirects are not followed: set it to the address that answers itself',
      ])
      expect(await metadataOf(mailbox)).toMatchObject({ status: 'unprocessed', lastStatus: 308, setAside: null })

      api.answer(mailbox, 200)
      await vi.waitUntil(async () => {
        await worker.sweep()
        return (await ready()).status === 200
      }, WAIT)
      expect(await keysIn(worker.bucket, metadataPrefix('processed', ROOT_DOMAIN, mailbox))).toHaveLength(1)
    })

    test('what is not about the mail is repeated; our own 404, 413 and 422 are not', async () => {
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
      // As long as the others were repeated, these were not.
      const kept = cases.filter(({ isRepeated }) => !isRepeated)
      expect(kept).toHaveLength(WAITS_FOR_A_PERSON.length + 1)
      for (const { mailbox } of kept) expect([mailbox, await attempts(mailbox)]).toEqual([mailbox, 1])
    })

    async function metadataOf(mailbox: string): Promise<Metadata> {
      const [key] = await keysIn(worker.bucket, metadataPrefix('unprocessed', ROOT_DOMAIN, mailbox))
      return decodeMetadata(await readObject(worker.bucket, key!))
    }
  })
}
