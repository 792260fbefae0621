import { expect, test } from 'vitest'
import { describeAttempts } from './attempts-text.ts'
import type { SmtpAttempt } from './wire.ts'

function attempt(outcome: SmtpAttempt['outcome'], code?: number): SmtpAttempt {
  return {
    id: '',
    to: 'qa+1@mailhatch.test',
    from: 'app@shop.test',
    startedAt: '',
    endedAt: '',
    outcome,
    stage: 'rcpt',
    replies: code === undefined ? [] : [{ stage: 'rcpt', code, text: '' }],
    size: 0,
    tls: null,
    authenticated: false,
    helo: null,
    remoteAddress: null,
    connection: '',
    messageId: outcome === 'accepted' ? 'm1' : null,
  }
}

const many = Array.from({ length: 12 }, (_, index) => attempt('refused', 440 + index))

test.each([
  [[], null],
  [[attempt('accepted', 250)], null],
  [[attempt('refused', 550)], '1 try, refused 550'],
  [
    [attempt('refused', 451), attempt('refused', 451), attempt('closed', 250)],
    '3 tries, refused 451, 451, then the connection was closed by the client',
  ],
  [
    [attempt('cut'), attempt('refused', 421), attempt('accepted', 250)],
    '3 tries, the connection was cut by a scenario, then refused 421, then accepted',
  ],
  [many, '12 tries, the last 10, refused 442, 443, 444, 445, 446, 447, 448, 449, 450, 451'],
])('%j', (attempts, text) => {
  expect(describeAttempts(attempts)).toBe(text)
})
