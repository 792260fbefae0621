import { expect, test } from 'vitest'
import { isRetriedAutomatically, isNotReaching, isUnrouted, meansUnreachable } from './retry.ts'

const OURS = ['inbox_domain_unknown', 'mailbox_unknown']
const OTHER_CODES = [null, 'not_found', 'internal', 'validation_failed']
/** The statuses of the rule, written out. */
const REPEATED = new Set([401, 403, 405, 407, 408, 421, 425, 429])

test('every status: errors on the way are retried, errors of the mail wait for an operator', () => {
  for (let status = 100; status < 600; status++) {
    if (status >= 200 && status < 300) continue
    for (const code of [...OURS, ...OTHER_CODES]) {
      const isOwn404 = status === 404 && code !== null && OURS.includes(code)
      const isRepeated =
        status < 200 || (status >= 300 && status < 400) || status >= 500 || REPEATED.has(status) || status === 404
      expect({ status, code, heals: isRetriedAutomatically({ status, code }) }).toEqual({
        status,
        code,
        heals: isRepeated && !isOwn404,
      })
      expect(isUnrouted({ status, code })).toBe(isOwn404)
      // Failures of all mail are retried, and if the API is not reached, all mail fails.
      expect(!meansUnreachable({ status, code }) || isRetriedAutomatically({ status, code })).toBe(true)
      expect(!isNotReaching({ status, code }) || meansUnreachable({ status, code })).toBe(true)
    }
  }
  const silence = { status: null, code: null }
  expect([isRetriedAutomatically(silence), meansUnreachable(silence), isNotReaching(silence)]).toEqual([
    true,
    true,
    true,
  ])
})

test('a 500 comes from the API, and may concern one mail only', () => {
  expect(meansUnreachable({ status: 500, code: 'internal' })).toBe(false)
  expect(isNotReaching({ status: 503, code: 'server_busy' })).toBe(false)
  expect(isNotReaching({ status: 503, code: null })).toBe(true)
})
