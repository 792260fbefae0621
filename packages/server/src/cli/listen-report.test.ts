import type { MessageSummary } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { reportLines } from './listen-report.ts'

const MESSAGE: MessageSummary = {
  id: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24',
  mailboxId: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a25',
  mailbox: 'qa',
  mailboxWithTag: 'qa+42',
  tag: '42',
  from: 'app@shop.example',
  fromName: null,
  to: 'qa+42@mailhatch.test',
  subject: 'Your code\r\n\u001b[2Jis \u202e123456',
  receivedAt: '2026-01-31T12:00:00.000Z',
  cursor: 'c1',
  attachmentCount: 0,
  size: 1_000,
}

test('a person reads one line an event and one an answer, with nothing in them that moves the cursor', () => {
  const lines: string[] = []
  const report = reportLines(
    (line) => lines.push(line),
    () => new Date(2026, 0, 31, 12, 0, 5),
  )
  report.ready({ secret: 'whsec_c2VjcmV0', target: 'http://localhost:3000/hook' })
  report.event(MESSAGE)
  report.away(MESSAGE, 'target')
  report.answer(MESSAGE, { status: 200, latencyMs: 12 })
  report.answer(MESSAGE, 'late')
  report.gone(MESSAGE)
  expect(lines).toEqual([
    'Ready! signing secret is whsec_c2VjcmV0',
    'Mail is forwarded to http://localhost:3000/hook. Stop with Ctrl+C.',
    '12:00:05  --> email.received to qa+42@mailhatch.test from app@shop.example: Your code is 123456',
    '12:00:05  The target cannot be reached; trying again until it can.',
    '12:00:05  <-- 200 (12 ms)',
    '12:00:05  <-- no answer in time',
    '12:00:05  The message has been deleted meanwhile; it is left out.',
  ])
})
