import { expect, test } from 'vitest'
import { workMs } from '../../test/support/work-time.ts'
import type { NormalAnnouncement } from './announcement.ts'
import { newMessage } from './new-message.ts'

/** As much of a text as is looked at for codes and links. */
const SCANNED = 64 * 1024

/** Each takes far less than 100 ms on an idle machine; everything else waits meanwhile. */
const MS_MAX = 1_000

const SPACES = [' ', '\t', '\n', '\r\n', '\u00a0', '\u3000', '\u200b', ' \u200b']
const DIGITS = ['1', '12', '123456', '1 ', '1-', '1.', '1,', '1\n', '\uff11', '\u0661', '\u0967']
const LETTERS = ['a', 'A', 'A ', 'A1', 'é', '日', 'code', 'Code: ', 'code is ', 'PIN', '\u0301', '\u202e']
const SIGNS = [...Array.from(`-.,:;/\\<>"'=@#$%()[]_+*?|~&`), '&amp', '&#', '&#x41;', '%20']
const ADDRESSES = ['http://', 'https://a.b/', 'www.', 'a.b', 'a@b']
const MARKUP = ['<a', '<a ', '<a href=', '<a href="x">', '</a>', '<b>', '</', '<!--', '<style>', '<script>', '<td>']

const BARE: NormalAnnouncement = {
  id: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24',
  domain: 'mailhatch.test',
  tenantSubdomain: null,
  mailbox: 'qa',
  mailboxWithTag: 'qa',
  tag: null,
  from: 'app@shop.example',
  to: 'qa@mailhatch.test',
  subject: '',
  receivedAt: 0,
  headers: [],
  rawContent: '',
  plainContent: '',
}

test.each([...SPACES, ...DIGITS, ...LETTERS, ...SIGNS, ...ADDRESSES, ...MARKUP])(
  'a mail that repeats %j holds nobody up',
  (unit) => {
    const long = unit.repeat(SCANNED / unit.length)
    for (const before of ['', 'Your code is ', 'https://shop.example/?']) {
      expect(workMs(() => newMessage({ ...BARE, plainContent: before + long }, 0))).toBeLessThan(MS_MAX)
    }
    expect(workMs(() => newMessage({ ...BARE, subject: long }, 0))).toBeLessThan(MS_MAX)
    expect(workMs(() => newMessage({ ...BARE, rawContent: `<p>${long}` }, 0))).toBeLessThan(MS_MAX)
  },
)
