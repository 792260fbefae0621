import { STATUS_CODES } from 'node:http'
import { expect, test } from 'vitest'
import { announcement } from '../../test/support/announce.ts'
import { expectRightOutcomes } from '../../test/support/announced-answers.ts'
import { WORKER_FAILED } from '../domain/retry.ts'
import { postJson } from '../program/post-json.ts'
import { announce, createApiClient } from './announce.ts'

/** Every status that has a name, and both ends of each class. All others are in test/announced-answers.long.test.ts. */
const STATUSES = [...Object.keys(STATUS_CODES).map(Number), 199, 299, 399, 499, 599]

test('over the network, a mail is accepted, retried or left to an operator for every status and kind of body', async () => {
  const counts = await expectRightOutcomes(STATUSES)
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(40)
})

test('an announcement that cannot be encoded is a failure of the worker, not of the network', async () => {
  const { post } = createApiClient({ url: 'http://127.0.0.1:1/', token: 'token', timeoutMs: 10_000, postJson })
  // The type excludes it.
  const unencodable = { ...announcement({}), subject: 1n as unknown as string }
  expect(await announce(post, unencodable)).toMatchObject({ ok: false, status: null, code: WORKER_FAILED })
})
