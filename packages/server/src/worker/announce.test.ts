import { expect, onTestFinished, test } from 'vitest'
import { announcement } from '../../test/support/announce.ts'
import { BODY_KINDS, nameFor, startAnsweringApi } from '../../test/support/answering-api.ts'
import { isRetriedAutomatically, isUnrouted, WORKER_FAILED } from '../domain/retry.ts'
import { mayBeCausedByMail } from '../domain/set-aside.ts'
import { postJson } from '../program/post-json.ts'
import { announce, createApiClient } from './announce.ts'

/** The rule written out: statuses from 400 to 499 that are not about the mail. */
const REPEATED = new Set([401, 403, 405, 407, 408, 421, 425, 429])

test('over the network, a mail is accepted, retried or left to an operator for every status and kind of body', async () => {
  const api = await startAnsweringApi()
  onTestFinished(() => api.close())
  const { post } = createApiClient({ url: api.url, token: 'token', timeoutMs: 10_000, postJson })
  const counts = { taken: 0, repeated: 0, 'left to a person': 0 }
  const own: string[] = []
  for (let status = 100; status < 600; status++) {
    await Promise.all(
      BODY_KINDS.map(async (kind) => {
        const outcome = await announce(post, announcement({ mailbox: nameFor(status, kind) }))
        const found = outcome.ok ? 'taken' : isRetriedAutomatically(outcome) ? 'repeated' : 'left to a person'
        counts[found]++
        expect({ status, kind, found }).toEqual({ status, kind, found: expectedFor(status, kind) })
        if (outcome.ok) return
        expect({ status: outcome.status, kind, isUnrouted: isUnrouted(outcome) }).toEqual({
          // After others below 200 an answer is to come, and never does.
          status: status < 200 && status !== 101 ? null : status,
          kind,
          isUnrouted: status === 404 && kind === 'ours',
        })
        if (mayBeCausedByMail(outcome)) own.push(`${status} ${kind}`)
      }),
    )
  }
  expect(api.received).toHaveLength(500 * BODY_KINDS.length)
  expect(counts).toEqual({ taken: 400, repeated: 1235, 'left to a person': 365 })
  // What never came is a connection cut, and not in this list.
  const ofAnswers = own.filter((name) => !name.startsWith('1'))
  expect(new Set(ofAnswers)).toEqual(new Set([...BODY_KINDS.map((kind) => `500 ${kind}`), '502 html', '502 empty']))
})

test('an announcement that cannot be encoded is a failure of the worker, not of the network', async () => {
  const { post } = createApiClient({ url: 'http://127.0.0.1:1/', token: 'token', timeoutMs: 10_000, postJson })
  // The type excludes it.
  const unencodable = { ...announcement({}), subject: 1n as unknown as string }
  expect(await announce(post, unencodable)).toMatchObject({ ok: false, status: null, code: WORKER_FAILED })
})

function expectedFor(status: number, kind: (typeof BODY_KINDS)[number]): string {
  if (status >= 200 && status < 300) return 'taken'
  if (status < 400 || status >= 500 || REPEATED.has(status)) return 'repeated'
  return status === 404 && kind !== 'ours' ? 'repeated' : 'left to a person'
}
