import type { Email, MessageSummary } from '@mailhatch/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chooseColor } from './color.ts'
import { messageLine, messageLines, messageTable } from './message-lines.ts'

const HOSTILE = '\u001b]0;title\u0007\u001b[2Jnew\u202eline\r\nhere'

const MESSAGE: MessageSummary = {
  id: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24',
  mailboxId: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a25',
  mailbox: 'qa',
  mailboxWithTag: 'qa',
  tag: null,
  from: 'app@shop.example',
  fromName: null,
  to: 'qa@mailhatch.test',
  subject: 'Welcome',
  receivedAt: '2026-01-31T12:00:00.000Z',
  cursor: 'c1',
  attachmentCount: 0,
  size: 1_000,
}
const ODD = { ...MESSAGE, to: `${'x'.repeat(64)}@mailhatch.test`, from: HOSTILE, subject: HOSTILE }

// eslint-disable-next-line no-control-regex -- control characters are what the test looks for
const COMMANDS = /[\u0000-\u001f\u007f-\u009f\p{Cf}]/u

beforeAll(() => chooseColor('never'))
afterAll(() => chooseColor('auto'))

test('a table may have more rows than a function takes arguments', () => {
  expect(messageTable(Array.from({ length: 130_000 }, () => MESSAGE))).toHaveLength(130_000)
})

test('a table has one line per message, in columns, for any text of a sender', () => {
  const [first, second] = messageTable(
    [
      { ...MESSAGE, fromName: 'The Shop' },
      { ...ODD, size: 25_000_000, subject: `${HOSTILE} ${'y'.repeat(300)}` },
    ],
    120,
  )
  const date = String.raw`\d+ \w{3} [\d:]+ {2}`
  expect(first).toMatch(new RegExp(`^${date}The Shop {6,}qa@mailhatch\\.test +Welcome {2,} 1 kB {2}0199a3c2-\\S{27}$`))
  expect(second).toMatch(new RegExp(`^${date}newline here +x+… {2}newline here y+… {2}25 MB {2}0199a3c2-\\S{27}$`))
  expect([first!.length, second!.length]).toEqual([120, 120])
  expect(`${first}${second}`).not.toMatch(COMMANDS)
})

test('a new message is one line', () => {
  expect(messageLine(ODD)).not.toMatch(COMMANDS)
  expect(messageLine(MESSAGE)).toMatch(/qa@mailhatch\.test {2}app@shop\.example {2}Welcome$/)
})

test('a message shows what a test needs, with its text', () => {
  const url = `https://shop.example/verify?token=${'f3a1'.repeat(100)}`
  // Only the fields that the lines use.
  const email = {
    ...ODD,
    fromName: 'The\nShop',
    text: 'Your code is 482913.\n\u001b[31mBye\u001b[0m\tnow',
    codes: [{ value: '482913', confidence: 1, context: '' }],
    links: [{ url, text: 'Verify', kind: 'verify' }],
    attachments: [
      { index: 0, filename: 'a\u001b[2J.txt', contentType: 'text/plain', size: 8, contentId: null, inline: false },
    ],
  } as unknown as Email
  const lines = messageLines(email).join('\n').split('\n')
  expect(lines).toEqual([
    'From:     The Shop <newline here>',
    expect.stringMatching(/^To: {7}x{64}@mailhatch\.test$/),
    'Subject:  newline here',
    expect.stringMatching(/^Date: {5}Sat 31 Jan 2026 \d\d:00:00 \S+ \(\d+ days ago\)$/),
    'Size:     1 kB',
    'Id:       0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24',
    'Attached: 0: a.txt, text/plain, 8 B',
    'Code:     482913',
    `Link:     ${url}`,
    '',
    'Your code is 482913.',
    'Bye now',
  ])
})
