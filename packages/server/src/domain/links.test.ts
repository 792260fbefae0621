import { describe, expect, test } from 'vitest'
import { workMs } from '../../test/support/work-time.ts'
import type { LinkKind } from '@mailhatch/sdk'
import { HTML_SCAN_LENGTH_MAX, LINK_LENGTH_MAX, LINK_SCAN_LENGTH_MAX, LINKS_MAX, findLinks } from './links.ts'

const textLinks = (text: string) => findLinks({ text, html: null })
const htmlLinks = (html: string) => findLinks({ text: null, html })

describe('links in plain text', () => {
  test.each<{ name: string; text: string; urls: string[] }>([
    { name: 'none', text: 'Hello', urls: [] },
    {
      name: 'in a sentence',
      text: 'See https://a.test/b, and http://c.test.',
      urls: ['https://a.test/b', 'http://c.test'],
    },
    { name: 'on its own line', text: 'Go:\n\nhttps://a.test/?x=1&y=2#z\n', urls: ['https://a.test/?x=1&y=2#z'] },
    { name: 'in angle brackets', text: 'Click <https://a.test/b>.', urls: ['https://a.test/b'] },
    { name: 'in parentheses', text: 'Click (https://a.test/b).', urls: ['https://a.test/b'] },
    { name: 'with parentheses of its own', text: '(https://a.test/Foo_(bar))', urls: ['https://a.test/Foo_(bar)'] },
    { name: 'in square brackets', text: 'Click [https://a.test/b]!', urls: ['https://a.test/b'] },
    {
      name: 'markdown',
      text: '[Go](https://a.test/b) **https://a.test/c**',
      urls: ['https://a.test/b', 'https://a.test/c'],
    },
    {
      name: 'in quotes',
      text: `"https://a.test/b" 'https://a.test/c' “https://a.test/d”`,
      urls: ['https://a.test/b', 'https://a.test/c', 'https://a.test/d'],
    },
    { name: 'several marks at the end', text: 'Really https://a.test/b?!...', urls: ['https://a.test/b'] },
    {
      name: 'a slash at the end stays',
      text: 'https://a.test/b/ https://a.test/?q=',
      urls: ['https://a.test/b/', 'https://a.test/?q='],
    },
    {
      name: 'Chinese punctuation',
      text: '请访问https://a.test/b，谢谢。（https://a.test/c）',
      urls: ['https://a.test/b', 'https://a.test/c'],
    },
    {
      name: 'upper-case scheme and odd host',
      text: 'HTTPS://A.test:8443/b http://[::1]:80/c http://user@h.test',
      urls: ['HTTPS://A.test:8443/b', 'http://[::1]:80/c', 'http://user@h.test'],
    },
    { name: 'international names', text: 'https://münchen.test/straße', urls: ['https://münchen.test/straße'] },
    {
      name: 'other schemes and broken ones',
      text: 'ftp://a.test mailto:a@b.test www.a.test https:// http:///x javascript:alert(1)',
      urls: [],
    },
    { name: 'each once', text: 'https://a.test/b https://a.test/b https://a.test/b.', urls: ['https://a.test/b'] },
  ])('$name', ({ text, urls }) => {
    expect(textLinks(text).map(({ url }) => url)).toEqual(urls)
  })

  test('have their URL as text', () => {
    expect(textLinks('Go to https://a.test/b')).toEqual([
      { url: 'https://a.test/b', text: 'https://a.test/b', kind: 'other' },
    ])
  })
})

describe('links in HTML', () => {
  test.each<{ name: string; html: string; links: [url: string, text: string][] }>([
    {
      name: 'with their text',
      html: '<a href="https://a.test/?a=1&amp;b=2">Go <b>now</b></a>',
      links: [['https://a.test/?a=1&b=2', 'Go now']],
    },
    { name: 'broken over lines', html: '<a href=" https://a.test/\r\n b ">x</a>', links: [['https://a.test/ b', 'x']] },
    {
      name: 'without text',
      html: '<a href="https://a.test/"><img src="x"></a>',
      links: [['https://a.test/', 'https://a.test/']],
    },
    {
      name: 'only of the web',
      html: '<a href="mailto:a@b.test">a</a><a href="#x">b</a><a href="javascript:x">c</a><a href="//d.test">d</a>',
      links: [],
    },
    {
      name: 'the logo first, then the words',
      html: '<a href="https://a.test/"><img></a><a href="https://a.test/">Acme</a>',
      links: [['https://a.test/', 'Acme']],
    },
    {
      name: 'words first, then the address',
      html: '<a href="https://a.test/">Acme</a><a href="https://a.test/">https://a.test/</a>',
      links: [['https://a.test/', 'Acme']],
    },
    {
      name: 'the text that tells the kind',
      html: '<a href="https://a.test/x">Acme</a><a href="https://a.test/x">Confirm email</a>',
      links: [['https://a.test/x', 'Confirm email']],
    },
  ])('$name', ({ html, links }) => {
    expect(htmlLinks(html).map(({ url, text }) => [url, text])).toEqual(links)
  })

  test('come before links that are only in the text', () => {
    const links = findLinks({ text: 'https://t.test/ https://h.test/', html: '<a href="https://h.test/">H</a>' })
    expect(links.map(({ url, text }) => [url, text])).toEqual([
      ['https://h.test/', 'H'],
      ['https://t.test/', 'https://t.test/'],
    ])
  })
})

describe('kinds', () => {
  const token = '3f2a9c81d4e5b6a7f8091a2b3c4d5e6f'

  test.each<{ url: string; text: string; kind: LinkKind }>([
    { url: 'https://a.test/t/1', text: 'Verify email address', kind: 'verify' },
    { url: 'https://a.test/t/1', text: 'Activate your account', kind: 'verify' },
    { url: 'https://a.test/verify?token=1', text: 'Click here', kind: 'verify' },
    { url: `https://a.test/users/confirmation?confirmation_token=${token}`, text: 'Click here', kind: 'verify' },
    { url: 'https://a.test/__/auth/action?mode=verifyEmail&oobCode=1', text: 'here', kind: 'verify' },
    { url: 'https://a.test/__/auth/action?mode=resetPassword&oobCode=1', text: 'here', kind: 'reset' },
    { url: 'https://a.test/auth/v1/verify?token=1&type=recovery', text: 'here', kind: 'reset' },
    { url: 'https://a.test/auth/v1/verify?token=1&type=magiclink', text: 'here', kind: 'magic' },
    { url: 'https://a.test/verify/1', text: 'Reset password', kind: 'reset' },
    { url: 'https://a.test/forgot/1', text: 'Continue', kind: 'reset' },
    { url: 'https://a.test/x', text: 'Your magic link', kind: 'magic' },
    { url: `https://a.test/login?token=${token}`, text: 'Sign in to Acme', kind: 'magic' },
    { url: `https://a.test/auth/callback/${token}`, text: 'Continue', kind: 'magic' },
    { url: 'https://a.test/login', text: 'Log in', kind: 'other' },
    { url: `https://a.test/unsubscribe/${token}`, text: 'here', kind: 'unsubscribe' },
    { url: 'https://a.test/x', text: 'Manage your preferences', kind: 'unsubscribe' },
    { url: 'https://a.test/optout?confirm=1', text: 'x', kind: 'unsubscribe' },
    { url: 'https://verify.acme.test/pricing', text: 'Prices', kind: 'other' },
    { url: 'https://a.test/blog/catalogin', text: 'Read more', kind: 'other' },
    { url: 'https://a.test/x', text: 'E-Mail-Adresse bestätigen', kind: 'verify' },
    { url: 'https://a.test/x', text: 'Passwort zurücksetzen', kind: 'reset' },
    { url: 'https://a.test/x', text: 'Newsletter abbestellen', kind: 'unsubscribe' },
    { url: `https://a.test/x?t=${token}`, text: 'Jetzt anmelden', kind: 'magic' },
    { url: 'https://a.test/x', text: 'Réinitialiser le mot de passe', kind: 'reset' },
    { url: 'https://a.test/x', text: 'Se désabonner', kind: 'unsubscribe' },
    { url: 'https://a.test/x', text: 'Confirmar correo', kind: 'verify' },
    { url: 'https://a.test/x', text: 'Redefinir senha', kind: 'reset' },
    { url: 'https://a.test/x', text: 'Attiva il tuo account', kind: 'verify' },
    { url: 'https://a.test/x', text: 'Uitschrijven', kind: 'unsubscribe' },
    { url: 'https://a.test/x', text: 'Potwierdź adres', kind: 'verify' },
    { url: 'https://a.test/x', text: 'Hesabını doğrula', kind: 'verify' },
    { url: 'https://a.test/x', text: 'Сбросить пароль', kind: 'reset' },
    { url: 'https://a.test/x', text: 'Підтвердити пошту', kind: 'verify' },
    { url: 'https://a.test/x', text: '重置密码', kind: 'reset' },
    { url: 'https://a.test/x', text: 'メールアドレスを確認', kind: 'verify' },
    { url: 'https://a.test/x', text: '수신거부', kind: 'unsubscribe' },
  ])('$text → $kind ($url)', ({ url, text, kind }) => {
    expect(htmlLinks(`<a href="${url}">${text}</a>`)[0]?.kind).toBe(kind)
  })

  test('in plain text the words before a URL decide its kind, back to the previous URL', () => {
    const text =
      'Confirm your email:\n\nhttps://a.test/t/1\n\nOur blog: https://a.test/t/2\nUnsubscribe: https://a.test/t/3'
    expect(textLinks(text).map(({ kind }) => kind)).toEqual(['verify', 'other', 'unsubscribe'])
  })
})

describe('limits', () => {
  test('a hundred links', () => {
    const urls = Array.from({ length: LINKS_MAX + 1 }, (_, index) => `https://a.test/${index}`)
    expect(textLinks(urls.join(' ')).map(({ url }) => url)).toEqual(urls.slice(0, LINKS_MAX))
    expect(htmlLinks(urls.map((url) => `<a href="${url}">x</a>`).join('')).map(({ url }) => url)).toEqual(
      urls.slice(0, LINKS_MAX),
    )
    expect(
      findLinks({ text: 'https://t.test', html: urls.map((url) => `<a href="${url}">x</a>`).join('') }),
    ).toHaveLength(LINKS_MAX)
  })

  test.each([-1, 0, 1])('a URL as long as the limit and %i', (difference) => {
    const url = 'https://a.test/'.padEnd(LINK_LENGTH_MAX + difference, 'x')
    const expected = difference > 0 ? [] : [url]
    expect(textLinks(`Go ${url} now`).map((link) => link.url)).toEqual(expected)
    expect(htmlLinks(`<a href="${url}">x</a>`).map((link) => link.url)).toEqual(expected)
  })

  test('only the first 64 KiB of the text are read', () => {
    expect(textLinks(prose(LINK_SCAN_LENGTH_MAX - 14) + 'https://a.test')).toHaveLength(1)
    expect(textLinks(prose(LINK_SCAN_LENGTH_MAX) + 'https://a.test')).toHaveLength(0)
  })

  // Moves the limit over each character of the link and past its end.
  test('a link in the text is listed completely or not at all, wherever the limit is', () => {
    const url = 'https://a.test/reset?token=0123456789'
    for (const behind of ['', ' now', '\n', '>', '.', '. Bye', '\u3002', 'é', '😀']) {
      const seen = new Set<string>()
      for (let inside = 0; inside <= url.length + 2; inside++) {
        const text = prose(LINK_SCAN_LENGTH_MAX - inside) + url + behind
        for (const link of textLinks(text)) seen.add(link.url)
      }
      const upToLimit = prose(LINK_SCAN_LENGTH_MAX - url.length) + url + behind
      expect(textLinks(upToLimit)).toHaveLength(/^[.é😀]/u.test(behind) ? 0 : 1)
      expect([...seen]).toEqual([textLinks(url + behind)[0]!.url])
    }
  })

  test.each([`"`, `'`, ''])(
    'a link in HTML between %j is listed whole or not at all, wherever the limit falls',
    (quote) => {
      const url = 'https://a.test/reset?token=0123456789'
      const link = `<a href=${quote}${url}${quote}>Reset</a>`
      const seen = new Set<string>()
      for (let inside = 0; inside <= link.length + 2; inside++) {
        const found = htmlLinks(prose(HTML_SCAN_LENGTH_MAX - inside) + link)
        for (const { url } of found) seen.add(url)
        expect(found.length).toBe(inside < link.indexOf('>') + 1 ? 0 : 1)
      }
      expect([...seen]).toEqual([url])
    },
  )

  test('a link tag that never ends is dropped, as in a browser', () => {
    expect(htmlLinks('<a href="https://a.test/b">x</a><a href="https://a.test/c')).toHaveLength(1)
    expect(htmlLinks('<a href="https://a.test/b">x</a><a href=https://a.test/c')).toHaveLength(1)
  })

  test('the text of a link that is never closed is cut', () => {
    expect(htmlLinks(`<a href="https://a.test">${'word '.repeat(1000)}`)[0]?.text).toHaveLength(256)
  })

  test.each(['https://', 'https://a', 'https://a.test/) ', '://', 'h', 'https://a.test/' + ')'.repeat(60_000)])(
    '64 KiB of %.20s are read in linear time',
    (piece) => {
      const text = piece.repeat(LINK_SCAN_LENGTH_MAX / piece.length + 1)
      // Ten times the usual time. A quadratic scan would take seconds.
      expect(workMs(() => textLinks(text))).toBeLessThan(250)
    },
  )
})

function prose(length: number): string {
  return 'lorem ipsum '.repeat(length / 12 + 1).slice(0, length - 1) + ' '
}
