import { describe, expect, test } from 'vitest'
import { workMs } from '../../../test/support/work-time.ts'
import { type CodeCase, codeCases } from '../../../test/mail/codes.ts'
import { CODE_SCAN_LENGTH_MAX, findCodes, HTML_SCAN_LENGTH_MAX } from './codes.ts'

function codesOf({
  subject = '',
  text = null,
  html = null,
}: {
  subject?: string
  text?: string | null
  html?: string | null
}) {
  return findCodes({ subject, text, html })
}

describe('the code a person would read', () => {
  test.each(codeCases)('$name', (mail) => {
    expect(codesOf(mail)[0]?.value ?? null).toBe(mail.expected)
  })

  test('mail without a code has no result', () => {
    const withoutCode = codeCases.filter(({ expected }) => expected === null)
    expect(withoutCode.length).toBeGreaterThan(20)
    expect(withoutCode.flatMap(codesOf)).toEqual([])
  })

  test('a rule that takes any six digits gives much worse results', () => {
    expect(codeCases.filter((mail) => firstSixDigits(mail) === mail.expected).length).toBeLessThan(
      codeCases.length * 0.6,
    )
  })
})

describe('confidence and context of a code', () => {
  test('a clear sentence is nearly certain, a number alone under a subject is less certain', () => {
    const [clear] = codesOf({ text: 'Your verification code is 482913' })
    const [vague] = codesOf({ subject: 'Your code', text: 'Hi\n\n482913' })
    expect(clear?.confidence).toBeGreaterThanOrEqual(0.9)
    expect(clear?.confidence).toBeLessThanOrEqual(1)
    expect(vague?.confidence).toBeGreaterThanOrEqual(0.5)
    expect(vague?.confidence).toBeLessThan(clear?.confidence ?? 0)
  })

  test('several codes are sorted best first, at most five, without duplicates', () => {
    const text = `Your backup codes:\n${['1337', '5512', '9012', '7765', '3321', '8817', '1337'].map((end) => `4829${end}\n`).join('')}`
    expect(codesOf({ text }).map(({ value }) => value)).toEqual([
      '48291337',
      '48295512',
      '48299012',
      '48297765',
      '48293321',
    ])
  })

  test('noise beside a clear code is left out', () => {
    const text = 'Your code is 482913.\nAcme, 10119 Berlin, code of conduct 2026, ref 551920'
    expect(codesOf({ text }).map(({ value }) => value)).toEqual(['482913'])
  })

  test.each<{ name: string; text: string; context: string }>([
    { name: 'the line', text: 'Hi,\nYour  code is 482913.\nBye', context: 'Your code is 482913.' },
    {
      name: 'the line above a code that stands alone',
      text: 'Hi\nYour code:\n\n  482913\n',
      context: 'Your code: 482913',
    },
    { name: 'the line below, where none is above', text: '482913\n\nis your code\n', context: '482913 is your code' },
  ])('context is $name', ({ text, context }) => {
    expect(codesOf({ text })[0]?.context).toBe(context)
  })

  test('context is cut to 120 characters around the code, whole characters only', () => {
    const [code] = codesOf({ text: `${'😀'.repeat(100)} your code is 482913 ${'😀'.repeat(100)}` })
    expect(code?.context).toContain('your code is 482913')
    expect(code?.context.length).toBeLessThanOrEqual(120)
    expect(code?.context.isWellFormed()).toBe(true)
  })
})

describe('limits', () => {
  test('only the first 64 KiB are read', () => {
    const sentence = 'your code is 482913'
    expect(codesOf({ text: prose(CODE_SCAN_LENGTH_MAX - sentence.length) + sentence })).toHaveLength(1)
    expect(codesOf({ text: prose(CODE_SCAN_LENGTH_MAX) + sentence })).toHaveLength(0)
  })

  // Moves the limit over each character of the sentence.
  test.each(['48291357', '482 913', '4829 1357', 'AB4C-9XYZ', '1 2 3 4 5 6'])(
    'a code is found whole or not at all, wherever the limit falls: %s',
    (written) => {
      const sentence = `your code is ${written}\nand more of the text, so that it goes on for a while.`
      const [whole] = codesOf({ text: sentence })
      const seen = new Set<string>()
      for (let inside = 0; inside <= sentence.length; inside++) {
        const inText = codesOf({ text: prose(CODE_SCAN_LENGTH_MAX - inside) + sentence })
        const inHtml = codesOf({ html: `<!--${prose(HTML_SCAN_LENGTH_MAX - inside - 8)}-->\n${sentence}` })
        for (const { value } of [...inText, ...inHtml]) seen.add(value)
      }
      expect([...seen]).toEqual([whole?.value])
    },
  )

  test('a number at the end of truncated mail is not a code', () => {
    const content = { subject: '', text: 'Your code is 4829', html: null }
    expect(findCodes(content)).toHaveLength(1)
    expect(findCodes({ ...content, isCut: true })).toHaveLength(0)
  })

  test.each<{ name: string; piece: string }>([
    { name: 'codes', piece: '482913\n' },
    { name: 'codes in one line', piece: 'code 482913 ' },
    { name: 'one long number', piece: '7' },
    { name: 'one long word', piece: 'A' },
    { name: 'dashes', piece: 'A-' },
    { name: 'digits and spaces', piece: '1 ' },
    { name: 'code words', piece: 'code ' },
    { name: 'web addresses', piece: 'http://' },
    { name: 'brackets', piece: '(1) ' },
    { name: 'line breaks', piece: '\n' },
    { name: 'digits on lines', piece: '1\n' },
    { name: 'digits and many lines', piece: `1${'\n'.repeat(1023)}` },
    { name: 'spelled letters', piece: 'A 1 ' },
    { name: 'letters with dashes', piece: 'ABC-DEF ' },
    { name: 'small letters with dashes', piece: 'a1b-' },
    { name: 'labels', piece: 'code a b c ' },
    { name: 'letters alone behind colons', piece: 'code: kqzwbf\n' },
    { name: 'colons', piece: ': ' },
    { name: 'groups of capitals', piece: 'AB-' },
    { name: 'groups with digits', piece: 'abc-de1-' },
    { name: 'passwords', piece: 'password 4829 ' },
    { name: 'spelled small letters', piece: 'a 1\n' },
    { name: 'other digits', piece: '๔' },
    { name: 'words without spaces', piece: '密码4829' },
  ])('64 KiB of $name are read in linear time', ({ piece }) => {
    const text = piece.repeat(CODE_SCAN_LENGTH_MAX / piece.length)
    // Ten times the usual time. A quadratic scan would take seconds.
    expect(workMs(() => codesOf({ text }))).toBeLessThan(250)
  })
})

function firstSixDigits({ subject, text, html }: CodeCase): string | null {
  return /\b\d{6}\b/.exec(`${subject}\n${text ?? html ?? ''}`)?.[0] ?? null
}

function prose(length: number): string {
  return 'lorem ipsum '.repeat(length / 12 + 1).slice(0, length - 1) + '\n'
}
