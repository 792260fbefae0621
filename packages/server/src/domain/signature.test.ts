import { describe, expect, test } from 'vitest'
import { fold } from './fold.ts'
import { mailboxNeed, needsOf, noSignatures, sign, type Need, type Signable, type Signatures } from './signature.ts'

const TEXTS = [
  'Your code is 482913',
  'Grüße aus Köln 👋🏽',
  '漢字かな交じり文',
  'aaaaaaa',
  '%_\\"\'*',
  'İstanbul ﬁ ẞ',
  'xyz',
]

function signable(wish: Partial<Signable> = {}): Signable {
  return {
    mailboxId: 'mailbox-1',
    subjectFolded: '',
    fromFolded: '',
    toFolded: '',
    mailboxWithTagFolded: '',
    bodyFolded: '',
    headers: [],
    ...wish,
  }
}

function signatureOf(message: Signable): Signatures {
  const signatures = noSignatures()
  sign(signatures, 1, message)
  return signatures
}

function mayMatch(needs: Need[], message: Signable): boolean {
  const signature = signatureOf(message)
  return needs.every((need) => need.some((all) => all.every((slot) => signature[slot] === 1)))
}

const FIELDS = [
  ['subject', 'subjectFolded'],
  ['from', 'fromFolded'],
  ['to', 'toFolded'],
  ['text', 'bodyFolded'],
  ['q', 'subjectFolded'],
  ['q', 'fromFolded'],
  ['q', 'toFolded'],
  ['q', 'mailboxWithTagFolded'],
  ['q', 'bodyFolded'],
] as const

describe.each(FIELDS)('%s in %s', (parameter, field) => {
  test('every substring of a text is found', () => {
    for (const text of TEXTS.map(fold)) {
      for (let start = 0; start < text.length - 2; start++) {
        for (const end of [start + 3, start + 4, start + 9, text.length]) {
          const needs = needsOf({ [parameter]: [text.slice(start, end)] })
          expect(needs).toHaveLength(1)
          expect(mayMatch(needs, signable({ [field]: `before ${text} after` }))).toBe(true)
        }
      }
    }
  })

  test('other texts are not found', () => {
    const needs = needsOf({ [parameter]: ['invoice 4711'] })
    for (const text of TEXTS.map(fold)) expect(mayMatch(needs, signable({ [field]: text }))).toBe(false)
    expect(mayMatch(needs, signable({ [field]: 'your invoice 4711' }))).toBe(true)
  })
})

test('a field is not found by the text of another kind of field', () => {
  const message = signable({ subjectFolded: 'in the subject', bodyFolded: 'what is written' })
  expect(mayMatch(needsOf({ subject: ['what is written'] }), message)).toBe(false)
  expect(mayMatch(needsOf({ text: ['in the subject'] }), message)).toBe(false)
})

test('any interpretation of a needle is enough, but one that is too short excludes nothing', () => {
  const message = signable({ toFolded: 'qa+login@in.test' })
  expect(mayMatch(needsOf({ to: ['qa login@in.test', 'qa+login@in.test'] }), message)).toBe(true)
  expect(needsOf({ to: ['qa+login@in.test', 'qa'] })).toEqual([])
  expect(needsOf({ q: ['ab'], subject: [''] })).toEqual([])
  expect(needsOf({ start: 1, tag: 'login' })).toEqual([])
})

test('all filters must match', () => {
  const message = signable({ subjectFolded: 'hello', fromFolded: 'shop@shop.example' })
  expect(mayMatch(needsOf({ subject: ['hello'], from: ['shop'] }), message)).toBe(true)
  expect(mayMatch(needsOf({ subject: ['hello'], from: ['bank'] }), message)).toBe(false)
})

test('a long needle needs no more slots than a search can look up', () => {
  const text = Array.from({ length: 1_000 }, (_, index) => index).join(' ')
  const [[slots]] = needsOf({ text: [text] }) as [[number[]]]
  expect(slots).toHaveLength(16)
  expect(mayMatch(needsOf({ text: [text] }), signable({ bodyFolded: `${text}.` }))).toBe(true)
})

test('a header is found by its name, in any case, and its complete value', () => {
  const message = signable({ headers: [{ name: 'X-Test-Run', value: 'Build 77' }] })
  expect(mayMatch(needsOf({ header: { name: 'x-test-run', value: 'Build 77' } }), message)).toBe(true)
  expect(mayMatch(needsOf({ header: { name: 'x-test-run', value: 'build 77' } }), message)).toBe(false)
  expect(mayMatch(needsOf({ header: { name: 'x-test', value: 'Build 77' } }), message)).toBe(false)
})

test('a message is found by its mailbox', () => {
  expect(mayMatch([mailboxNeed('mailbox-1')], signable())).toBe(true)
  expect(mayMatch([mailboxNeed('mailbox-2')], signable())).toBe(false)
})

test('content that is too long may contain anything', () => {
  expect(signatureOf(signable({ bodyFolded: null, headers: null }))).not.toContain(0)
  expect(signatureOf(signable())).toContain(0)
})

test('eight messages are signed side by side', () => {
  const together = noSignatures()
  const messages = Array.from({ length: 8 }, (_, index) => signable({ subjectFolded: `subject number ${index}` }))
  messages.forEach((message, index) => sign(together, 1 << index, message))
  messages.forEach((message, index) => {
    expect(together.map((bits) => (bits >> index) & 1)).toEqual(signatureOf(message))
  })
})
