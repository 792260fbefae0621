import { expect, onTestFinished } from 'vitest'
import { isRetriedAutomatically, isUnrouted } from '../../src/domain/retry.ts'
import { mayBeCausedByMail } from '../../src/domain/set-aside.ts'
import { postJson } from '../../src/program/post-json.ts'
import { announce, createApiClient } from '../../src/worker/announce.ts'
import { announcement } from './announce.ts'
import { BODY_KINDS, nameFor, startAnsweringApi } from './answering-api.ts'

/** The rule written out: statuses from 400 to 499 that are not about the mail. */
const REPEATED = new Set([401, 403, 405, 407, 408, 421, 425, 429])

/** Announces a mail over the network for each status with each kind of body. Returns how often it was accepted, and so on. */
export async function expectRightOutcomes(statuses: number[]) {
  const api = await startAnsweringApi()
  onTestFinished(() => api.close())
  const { post } = createApiClient({ url: api.url, token: 'token', timeoutMs: 10_000, postJson })
  const counts = { taken: 0, repeated: 0, 'left to a person': 0 }
  const own: string[] = []
  for (const status of statuses) {
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
  expect(api.received).toHaveLength(statuses.length * BODY_KINDS.length)
  // What never came is a connection cut, and not in this list.
  const ofAnswers = own.filter((name) => !name.startsWith('1'))
  expect(new Set(ofAnswers)).toEqual(new Set([...BODY_KINDS.map((kind) => `500 ${kind}`), '502 html', '502 empty']))
  return counts
}

function expectedFor(status: number, kind: (typeof BODY_KINDS)[number]): string {
  if (status >= 200 && status < 300) return 'taken'
  if (status < 400 || status >= 500 || REPEATED.has(status)) return 'repeated'
  return status === 404 && kind !== 'ours' ? 'repeated' : 'left to a person'
}
