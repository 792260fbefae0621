import { expect, test } from 'vitest'
import { EVENT_BYTES_MAX, webhookEventBody } from './webhook-event.ts'

const RECEIVED = Date.UTC(2026, 0, 31, 12)
const STORED = RECEIVED + 1_500

const MESSAGE = {
  id: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24',
  mailbox: 'qa',
  mailboxWithTag: 'qa+42',
  tag: '42',
  from: 'app@shop.example',
  to: 'qa+42@mailhatch.test',
  subject: 'Your code is 123456',
  receivedAt: RECEIVED,
  domain: 'mailhatch.test',
}

test('the body has exactly the keys of the contract, in that order', () => {
  const message = { ...MESSAGE, html: '<p>not sent</p>' }
  expect(webhookEventBody(message, STORED)).toBe(
    '{"event":"email.received","timestamp":"2026-01-31T12:00:01.500Z","data":{' +
      '"id":"0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24","mailbox":"qa","mailboxWithTag":"qa+42","tag":"42",' +
      '"from":"app@shop.example","to":"qa+42@mailhatch.test","subject":"Your code is 123456",' +
      '"receivedAt":"2026-01-31T12:00:00.000Z","domain":"mailhatch.test"}}',
  )
})

test('a body of the maximum size is complete; with one more byte the subject is truncated', () => {
  const fixed = Buffer.byteLength(webhookEventBody({ ...MESSAGE, subject: '' }, STORED))
  const subject = 'x'.repeat(EVENT_BYTES_MAX - fixed)
  const whole = webhookEventBody({ ...MESSAGE, subject }, STORED)
  expect(Buffer.byteLength(whole)).toBe(EVENT_BYTES_MAX)
  expect(subjectOf(whole)).toBe(subject)
  expect(subjectOf(webhookEventBody({ ...MESSAGE, subject: `${subject}x` }, STORED))).toBe('x'.repeat(1_000))
})

// A control character becomes six bytes, a surrogate pair must not be split, and a letter may take three bytes.
test.each(['\u0001', '😀', 'x😀', '漢'])(
  'with long texts of any characters (%j), the body is short and well-formed',
  (unit) => {
    const long = unit.repeat(100_000)
    const worst = { ...MESSAGE, tag: long, from: long, to: long, subject: long, mailboxWithTag: '\u0001'.repeat(64) }
    const body = webhookEventBody({ ...worst, mailbox: worst.mailboxWithTag, domain: '\u0001'.repeat(255) }, STORED)
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(EVENT_BYTES_MAX)
    expect(long.startsWith(subjectOf(body))).toBe(true)
    expect(subjectOf(body).isWellFormed()).toBe(true)
    expect(subjectOf(body).length).toBeGreaterThan(900)
  },
)

function subjectOf(body: string): string {
  // If the body has another shape, the test fails.
  return (JSON.parse(body) as { data: { subject: string } }).data.subject
}
