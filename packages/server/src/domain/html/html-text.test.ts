import { describe, expect, test } from 'vitest'
import { htmlToText, parseAnchors } from './html-text.ts'
import { HTML_LENGTH_MAX } from './html-tokens.ts'

describe('htmlToText', () => {
  test.each<{ name: string; html: string; text: string }>([
    { name: 'plain text', html: 'Hello there', text: 'Hello there' },
    { name: 'nothing', html: '', text: '' },
    { name: 'white space collapses', html: ' a \n\t b  <b> c </b> d ', text: 'a b c d' },
    { name: 'inline elements do not part words', html: 'un<b>believ</b>able', text: 'unbelievable' },
    { name: 'blocks make lines', html: '<div>a</div><div>b<div>c</div></div>d', text: 'a\nb\nc\nd' },
    { name: 'paragraphs make blank lines', html: '<h1>Hi</h1><p>a</p><p>b</p>', text: 'Hi\n\na\n\nb' },
    { name: 'br', html: 'a<br>b<BR/>c<br><br><br><br>d', text: 'a\nb\nc\n\nd' },
    { name: 'list items', html: '<ul><li>a<li>b</li><li></li></ul>c', text: '- a\n- b\n\nc' },
    {
      name: 'table cells and rows',
      html: '<table><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></table>',
      text: 'a b\nc',
    },
    { name: 'digits in cells of their own', html: '<tr><td>1</td><td>2</td><td>3</td></tr>', text: '1 2 3' },
    { name: 'links keep only their text', html: 'See <a href="https://a.test/">the page</a>.', text: 'See the page.' },
    {
      name: 'images speak by their alt',
      html: '<img src="x" alt="Acme &amp; Co"> news<img alt="">',
      text: 'Acme & Co news',
    },
    { name: 'preformatted lines', html: '<pre>a\n  b\n\nc</pre>d', text: 'a\nb\n\nc\n\nd' },
    { name: 'comments', html: 'a<!-- <b>x</b> > -->b<!-->c<!--->d', text: 'abcd' },
    {
      name: 'conditional comments',
      html: '<!--[if mso]>x<![endif]--><!--[if !mso]><!-->a<!--<![endif]-->b',
      text: 'ab',
    },
    {
      name: 'doctype and processing instructions',
      html: '<!DOCTYPE html><?xml version="1.0"?><![if !x]>a<![endif]>',
      text: 'a',
    },
    {
      name: 'style, script and title',
      html: '<title>t</title><STYLE>p > a{}</Style>a<script>"</p>"</script>b',
      text: 'ab',
    },
    {
      name: 'the head',
      html: '<html><head><meta x><noscript><xml>96</xml></noscript></head><body>a</body></html>',
      text: 'a',
    },
    { name: 'a head that is not closed', html: '<head><meta charset=utf-8>x<body>a', text: 'a' },
    { name: 'a head that a block ends', html: '<head><meta charset=utf-8>x<p>a', text: 'a' },
    { name: 'template', html: '<template><p>x</p></template>a', text: 'a' },
    { name: 'display:none', html: '<div style="color:red; Display : NONE">x<div>y</div>z</div>a', text: 'a' },
    { name: 'hidden attribute', html: '<span hidden>x<b>y</b></span>a<p hidden>x<p>b', text: 'a\n\nb' },
    {
      name: 'a hidden void element hides only itself',
      html: '<img hidden alt="x">a<br style="display:none">b',
      text: 'ab',
    },
    { name: 'display:block is visible', html: '<div style="display:block">a</div>', text: 'a' },
    {
      name: 'named entities',
      html: '&lt;b&gt; &amp;amp; &euro;5 &uuml;ber&hellip; &laquo;x&raquo;',
      text: '<b> &amp; €5 über… «x»',
    },
    { name: 'numeric entities', html: '&#72;&#x69;&#X21; &#146; &#8364;&#33 &#128512;', text: 'Hi! ’ €! 😀' },
    { name: 'unknown entities stay', html: 'AT&T &unknown; &; &# &#x; &am', text: 'AT&T &unknown; &; &# &#x; &am' },
    { name: 'impossible code points', html: '&#0;&#xD800;&#99999999;', text: '\ufffd\ufffd\ufffd' },
    { name: 'no-break spaces', html: 'a&nbsp;&nbsp;b\u00a0c', text: 'a b c' },
    {
      name: 'padding of the preview text',
      html: 'a&zwnj;&nbsp;&#847; \u200b\ufeff&#8203;&shy;<div>b</div>',
      text: 'a\nb',
    },
    { name: 'attributes in any quoting', html: `<p title="a>b" class='c>d' x=y z>text</p>`, text: 'text' },
    { name: 'an apostrophe in an attribute name', html: `<p don't>a</p>b's`, text: "a\n\nb's" },
    { name: 'less-than signs in prose', html: 'a < b <3 c << d', text: 'a < b <3 c << d' },
    { name: 'line breaks of old programs', html: '<pre>a\rb\r\nc\nd</pre>', text: 'a\nb\nc\nd' },
    { name: 'stray end tags', html: '</li></pre></b>a</></ x>b', text: 'ab' },
    { name: 'a tag that never ends', html: 'a<p class="x', text: 'a' },
    { name: 'a picture that never ends', html: 'a<img alt="b', text: 'a' },
    { name: 'an end tag that never ends', html: '<p>a</p x', text: 'a' },
    { name: 'a comment that never ends', html: 'a<!-- b', text: 'a' },
    { name: 'a style that never ends', html: 'a<style>b</sty', text: 'a' },
    { name: 'a lone bracket at the end', html: 'a<', text: 'a<' },
  ])('$name', ({ html, text }) => {
    expect(htmlToText(html)).toBe(text)
  })

  test('text beyond the limit is not read', () => {
    const filler = 'x'.repeat(HTML_LENGTH_MAX - 1)
    expect(htmlToText(`${filler}ab`)).toBe(`${filler}a`)
    expect(htmlToText(`${filler}😀`)).toBe(filler)
  })
})

describe('parseAnchors', () => {
  test.each<{ name: string; html: string; anchors: [url: string, text: string][] }>([
    { name: 'none', html: '<p>a</p>', anchors: [] },
    {
      name: 'double quotes',
      html: '<a class="b" href="https://a.test/?x=1&amp;y=2">Go</a>',
      anchors: [['https://a.test/?x=1&y=2', 'Go']],
    },
    { name: 'single quotes', html: `<A HREF = 'https://a.test/"q"'>Go</A>`, anchors: [['https://a.test/"q"', 'Go']] },
    { name: 'no quotes', html: '<a href=https://a.test/b/>Go</a>', anchors: [['https://a.test/b/', 'Go']] },
    {
      name: 'parameters that look like entities',
      html: '<a href="/?a=1&copy=2&lt=3">x</a>',
      anchors: [['/?a=1&copy=2&lt=3', 'x']],
    },
    {
      name: 'text over several elements',
      html: '<a href="u"><table><tr><td> Sign\n<b>in</b></td></tr></table>now</a>',
      anchors: [['u', 'Sign in now']],
    },
    {
      name: 'in a list',
      html: '<li><a href="u">a</a><li><a href="v">b</a>',
      anchors: [
        ['u', 'a'],
        ['v', 'b'],
      ],
    },
    { name: 'an image as text', html: '<a href="u"><img alt="Our logo"></a>', anchors: [['u', 'Our logo']] },
    {
      name: 'text outside stays outside',
      html: '<img alt="x">a <a href="u">b</a> c <a href="v">d</a>',
      anchors: [
        ['u', 'b'],
        ['v', 'd'],
      ],
    },
    {
      name: 'an anchor in an anchor',
      html: '<a href="u">a<a href="v">b</a>c',
      anchors: [
        ['u', 'a'],
        ['v', 'b'],
      ],
    },
    { name: 'an anchor that is not closed', html: '<p><a href="u">a<p>b', anchors: [['u', 'a b']] },
    { name: 'anchors without address', html: '<a name="x">a</a><abbr href="z">c</abbr><area href="w">', anchors: [] },
    {
      name: 'hidden and commented ones',
      html: '<p style="display:none"><a href="u">a</a></p><!-- <a href="v">b</a> --><a href="w">c</a>',
      anchors: [['w', 'c']],
    },
    { name: 'the first of two addresses', html: '<a href="u" href="v">a</a>', anchors: [['u', 'a']] },
  ])('$name', ({ html, anchors }) => {
    expect(parseAnchors(html).map(({ url, text }) => [url, text])).toEqual(anchors)
  })
})
