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

test('text output has one line per event and response, without terminal escape sequences', () => {
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
    'Ready! Signing secret: whsec_c2VjcmV0',
    'Forwarding mail to http://localhost:3000/hook. Press Ctrl+C to stop.',
    '12:00:05  --> email.received to qa+42@mailhatch.test from app@shop.example: Your code is 123456',
    '12:00:05  The target is unreachable. Retrying until it responds.',
    '12:00:05  <-- 200 (12 ms)',
    '12:00:05  <-- timed out',
    '12:00:05  The message was deleted before it was forwarded. Skipped.',
  ])
})
