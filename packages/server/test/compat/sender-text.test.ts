import { expect, test } from 'vitest'
import { parseContent, partsOf } from '../../src/compat/mailhog/content.ts'
import { jsonPieces } from '../../src/compat/mailhog/json-pieces.ts'
import { presentMail } from '../../src/compat/mailhog/present.ts'
import { presentSecond, presentSummary, presentThird } from '../../src/compat/maildev/present.ts'
import { presentEntry } from '../../src/compat/mailpit/present.ts'
import { searchableOf, searchTextOf } from '../../src/compat/mailpit/searchable.ts'
import { unsubscribeOf } from '../../src/compat/mailpit/unsubscribe.ts'
import type { WholeMail } from '../../src/compat/mails.ts'
import { parseHeaderValue } from '../../src/mime/header-value.ts'
import { workMs } from '../support/work-time.ts'
import { mailWith } from './mail-with.ts'

/** Half of what the parser keeps of a header. */
const LENGTH = 32_000
/** Each takes less than 50 ms on an idle machine. In quadratic time, it would take seconds. */
const MS_MAX = 300

const NAMES =
  `message-id list-unsubscribe references in-reply-to from to reply-to return-path x-tags subject date content-type`.split(
    /\s+/,
  )
const UNITS = [
  '<',
  '>',
  '<>',
  '><',
  '(',
  '()',
  ')',
  '"',
  "'",
  ',',
  ' ',
  '\t,',
  '@',
  'a@b,',
  '+',
  ';a=',
  ' boundary=',
  '=?',
  '\\',
]

const UNREAD = { isRead: false }
const PEERS: [string, (mail: WholeMail, raw: string) => unknown][] = [
  [
    'Mailpit',
    (mail) => [
      presentEntry(mail, { isRead: false, setTags: null }),
      unsubscribeOf(mail.headers),
      searchableOf(mail),
      searchTextOf(mail),
    ],
  ],
  ['MailHog', (mail, raw) => [...jsonPieces(presentMail(mail, raw)), parseHeaderValue(mail.headers[0]!.value)]],
  [
    'MailDev',
    (mail) => [presentSecond, presentThird, presentSummary].map((present) => JSON.stringify(present(mail, UNREAD))),
  ],
]

test.each(PEERS)('long headers of one sign take no more time than others: %s', (_, present) => {
  for (const name of NAMES) {
    for (const unit of UNITS) {
      const value = `x${unit.repeat(LENGTH / unit.length)}x`
      const ms = workMs(() => present(mailWithHeader(name, value), `${name}: ${value}\r\n\r\nText`))
      // One is enough to fail, and more would take minutes.
      expect(ms, `${name}: ${unit}${unit}…`).toBeLessThan(MS_MAX)
    }
  }
})

test('a long boundary is looked for in no more time than a short one', () => {
  const body = '-'.repeat(4_000_000)
  for (const length of [70, 200, 1_000, 60_000]) {
    const boundary = `b${'-'.repeat(length - 1)}`
    const mail = `Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n${body}`
    expect(workMs(() => partsOf(parseContent(mail)))).toBeLessThan(MS_MAX)
  }
})

function mailWithHeader(name: string, value: string): WholeMail {
  const subject = name === 'subject' ? value : 'Hello'
  return mailWith({ subject, headers: [{ name, value }], text: 'Text', receivedAt: 0 })
}
