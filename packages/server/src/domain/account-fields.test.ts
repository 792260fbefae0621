import { expect, test } from 'vitest'
import { parseEmail, readUserName } from './account-fields.ts'

test.each([
  ['ada@corp.example', 'ada@corp.example'],
  ['  Ada.Lovelace+mail@Corp.Example ', 'Ada.Lovelace+mail@Corp.Example'],
  ['owner@localhost', 'owner@localhost'],
  ['grüße@bücher.example', 'grüße@bücher.example'],
  [`${'a'.repeat(64)}@${`${'b'.repeat(61)}.`.repeat(3)}cc`, `${'a'.repeat(64)}@${`${'b'.repeat(61)}.`.repeat(3)}cc`],
])('%s is an address', (given, stored) => {
  expect(parseEmail(given)).toBe(stored)
})

test.each([
  '',
  'ada',
  'ada@',
  '@corp.example',
  'ada@corp@example@',
  'ada@corp..example',
  'ada corp@example',
  'ada@corp.example\r\nBcc: eve@evil.example',
  '<ada@corp.example>',
  '"ada"@corp.example',
  'ada@corp.example\0',
  // These look like ada@corp.example and would share its account.
  '\u{1d41a}da@corp.example',
  'ada@\uff43orp.example',
  `${'a'.repeat(64)}@${`${'b'.repeat(62)}.`.repeat(3)}c`,
  '\ud800@corp.example',
])('%j is not an address', (given) => {
  expect(parseEmail(given)).toBeNull()
})

test.each([
  ['  Ada Lovelace ', 'Ada Lovelace'],
  ['Ada\r\nBcc: eve@x.example', 'AdaBcc: eve@x.example'],
  ['\u001b[31mAda\u0000', '[31mAda'],
  [`${'n'.repeat(99)}\u{1f600}`, `${'n'.repeat(99)}\ufffd`],
])('the name %j is stored as %j', (given, stored) => {
  expect(readUserName(given)).toBe(stored)
})
