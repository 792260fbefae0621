import { describe, expect, test } from 'vitest'
import { workMs } from '../../../test/support/work-time.ts'
import { cleanHtml, inlineImageIds, type HtmlRules } from './clean-html.ts'

const BLOCKED: HtmlRules = { remoteImages: false, inlineImage: () => null }
const clean = (html: string, rules: Partial<HtmlRules> = {}) => cleanHtml(html, { ...BLOCKED, ...rules }).html

describe('ordinary mail is not changed', () => {
  test.each([
    '<p>Hello <b>you</b> &amp; all © 2026</p>',
    '<table width="600" bgcolor="#fff"><tr><td colspan="2" align="center">x</td></tr></table>',
    '<h1 style="color: red; font: 12px/1.5 &quot;Arial&quot;">x</h1>',
    '<img src="data:image/png;base64,AAAA" alt="logo" width="10">',
    '<style>td { background: url(data:image/gif;base64,AAAA) }</style>',
    '<body bgcolor="#eee"><ul type="square"><li>one</li></ul></body>',
  ])('%s', (html) => expect(clean(html)).toBe(html))
})

describe('scripts, external resources and unsafe links are removed', () => {
  test.each([
    ['<script>alert(1)</script>after', 'after'],
    ['<svg onload=alert(1)><a href=#x>y</a></svg>', '<a href="#x">y</a>'],
    ['<math><mtext><img src=x onerror=alert(1)></math>', '<img>'],
    ['<form action=//x><input name=q><button>go</button></form>', 'go'],
    ['<base href=//x><meta http-equiv=refresh content="0;url=//x"><link rel=stylesheet href=//x>', ''],
    ['<iframe srcdoc="<script>"></iframe><object data=x><embed src=x></object>', ''],
    ['<p onclick="x()" ONMOUSEOVER=x() class="a">t</p>', '<p class="a">t</p>'],
    ['<img src="https://tracker.example/p.gif" srcset="https://x 2x" alt="a">', '<img alt="a">'],
    ['<td background="http://x/y.png">x</td>', '<td>x</td>'],
    ['<img src="data:image/svg+xml;base64,AAAA">', '<img>'],
    ['<img src="cid:unknown">', '<img>'],
    ['<div style="background:url(//x/y)">x</div>', '<div style="background:blocked(//x/y)">x</div>'],
    ['<style>@import url(//x);</style>', '<style>@blocked blocked(//x);</style>'],
    [String.raw`<style>a{background:\75rl(//x)}</style>`, '<style>a{background:75rl(//x)}</style>'],
    ['<style>@im/**/port "//x"</style>', '<style>@im port "//x"</style>'],
    ['<style>a{background:image-set("//x" 1x)}</style>', '<style>a{background:blocked(//x" 1x)}</style>'],
    ['<style><!-- </style><b>x</b>', '<style> !-- </style><b>x</b>'],
    ['<title></title><img src=x></title>', '<img>'],
    ['a < b <3 <!-- <script> -->', 'a &lt; b &lt;3 '],
    ['<plaintext><script>x</script>', '&lt;script&gt;x&lt;/script&gt;'],
    ['<xmp></xmp ><script>x</script><xmp><img onerror=x>', '&lt;img onerror=x&gt;'],
    ['<textarea><img onerror=x></textarea>', '&lt;img onerror=x&gt;'],
    ['<style>a</styles><img src=x></style>b', '<style>a /styles> img src=x></style>b'],
    ['&lt;script&gt;x&amp;lt;&copy', '&lt;script&gt;x&amp;lt;©'],
  ])('%s', (html, expected) => expect(clean(html)).toBe(expected))

  test.each([
    'javascript:alert(1)',
    'java&Tab;script:x',
    '&#106;avascript:x',
    'data:text/html,x',
    'vbscript:x',
    '/v1/me',
  ])('a link to %s loses its address', (href) =>
    expect(clean(`<a href="${href}">x</a>`)).toBe('<a target="_blank" rel="noopener noreferrer">x</a>'),
  )

  test('of very many attributes, the first are kept', () => {
    const attributes = Array.from({ length: 1_000 }, (_, index) => ` aria-${index}="x"`)
    expect(clean(`<p${attributes.join('')}>x</p>`)).toBe(`<p${attributes.slice(0, 500).join('')}>x</p>`)
  })

  test('values cannot leave their quotes', () => {
    expect(clean(`<p title='"><script>'>x</p>`)).toBe('<p title="&quot;&gt;&lt;script&gt;">x</p>')
    expect(clean('<p title="&quot;><img onerror=x>">x</p>')).toBe('<p title="&quot;&gt;&lt;img onerror=x&gt;">x</p>')
  })
})

describe('links and images', () => {
  test('a link opens in a new tab without an opener or referrer, whatever its attributes are', () => {
    const written = clean('<a href="https://shop.example/?a=1&amp;b=2" target=_top rel=opener ping=//x>go</a>')
    expect(written).toBe('<a href="https://shop.example/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">go</a>')
  })

  test('remote images stay if they are allowed, over TLS only', () => {
    const html = '<img src="https://x.example/y.png"><img src="http://x.example/y.png">'
    expect(clean(html, { remoteImages: true })).toBe('<img src="https://x.example/y.png"><img>')
    const styled = '<p style="background:url(https://x.example/y.png)">x</p>'
    expect(clean(styled, { remoteImages: true })).toBe(styled)
  })

  test('attached images are shown by their content id', () => {
    const html = '<img src="cid:logo@shop"><img src=cid:%3Cother%3E><img src="CID:<third>">'
    expect(inlineImageIds(html)).toEqual(['logo@shop', '<other>', '%3Cother%3E', 'third'])
    expect(inlineImageIds('<img src="cid:a%40b%"><td background="cid&colon;c"><xmp><img src="cid:d">')).toEqual([
      'a@b%',
      'a%40b%',
      'c',
    ])
    const inlineImage = (contentId: string) => (contentId === 'logo@shop' ? 'data:image/png;base64,AAAA' : null)
    expect(clean(html, { inlineImage })).toBe('<img src="data:image/png;base64,AAAA"><img><img>')
  })
})

test('a megabyte of any input is cleaned in linear time', () => {
  const pieces = ['<', '<a ', '<p style="url(', '&', '<style>', '<style>/*', '@import', '"', '<img src=cid:']
  for (const piece of pieces) {
    const html = piece.repeat(1024 ** 2 / piece.length)
    expect(workMs(() => clean(html))).toBeLessThan(2_000)
  }
})
