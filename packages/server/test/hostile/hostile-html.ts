import { cleanHtml, inlineImageIds } from '../../src/domain/html/clean-html.ts'
import { htmlToText, parseAnchors } from '../../src/domain/html/html-text.ts'
import { findLinks } from '../../src/domain/links.ts'
import { visibleText } from '../../src/domain/html/visible-text.ts'

/** Everything that reads the HTML of a mail. */
export const READERS: Record<string, (html: string) => unknown> = {
  text: htmlToText,
  anchors: parseAnchors,
  links: (html) => findLinks({ text: null, html }),
  cleaning: (html) => cleanHtml(html, { remoteImages: false, inlineImage: () => null }),
  'image ids': inlineImageIds,
  'visible text': visibleText,
}

/** What begins the document, then a piece that is repeated to the wanted length. */
const HOSTILE: [start: string, piece: string][] = [
  ...['<', '<a', '<a ', '</', '</a ', '<b>', '</b>', '<li>x', '<div>', '<div hidden>', '<a href=u>x'].map(alone),
  ...['<a href="', `<p title="'"'"'`, `<a "'`, '<div style="color:#fff">', '<img src=cid:a alt=x>'].map(alone),
  ...['<!-- -', '<!---->', 'a<!---->', '<?', '<!DOCTYPE ', '<![CDATA[', '<title>', '<script></script>'].map(alone),
  ...['<style>a</style>', '&', '&#', '&amp;', '&#65;', '&#32;a', '&notit', '&NotEqualTilde;', '&zwnj;&nbsp;'].map(
    alone,
  ),
  ...['&CounterClockwiseContourIntegra', '\0', '\0a', '\r', '\r\n', '😀<', '\ud800', ' ', 'a '].map(alone),
  ...['x', 'a=b ', 'style="a:b" ', 'hidden', '\0', '/', '=', ' '].map((piece): [string, string] => ['<p ', piece]),
  ...['x', '\0a', '\r\n', '&amp;', '&not', 'display '].map((piece): [string, string] => ['<p style="', piece]),
  ...['x', '-', '<!-', '\0'].map((piece): [string, string] => ['<!--', piece]),
  ...['</scrip', '<!--<script>', '<!--<script </script '].map((piece): [string, string] => ['<script>', piece]),
  ...['</styl', '</', '</style ', '/*', '\0a'].map((piece): [string, string] => ['<style>', piece]),
  // Where decoding fails, because an exception takes as long as hundreds of tags.
  ...['<img src="cid:%">', '<img src=cid:%ff>', '<img src=cid:%41>', '<td background="cid:%C3%28">'].map(alone),
  ...['%', '%4', '%41', '%f0%9f%98%80', '%f0', '%ed%a0%80'].map((piece): [string, string] => ['<img src="cid:', piece]),
  ...['&#xd800;', '&#x110000;', '&#99999999999;', '<a href="http://%">x', '<a href="http://[">x'].map(alone),
  ...['<!-->', '<!--->', '<!--!>', '<!--a--!>', '<xmp></xmp>', '<textarea>a</textarea>', '<A HREF=U>x'].map(alone),
  ...['-->', '<!-->', '</script'].map((piece): [string, string] => ['<script><!--<script>', piece]),
  ['<', 'x'],
  ['</', 'x'],
  ['<p title=', 'x'],
  ['&#', '1'],
  ['&#x', 'f'],
  ['&', 'a'],
  ['<textarea>', '</textare&'],
  ['<title>', '</titl&'],
  ['<plaintext>', '</plaintext>&a'],
  ['<xmp>', '</xm<'],
  ['<svg><![CDATA[', 'x]]'],
  ['<!DOCTYPE html PUBLIC "', 'x'],
]

function alone(piece: string): [string, string] {
  return ['', piece]
}

export type HostileHtml = { name: string; ofLength(length: number): string }

export const HOSTILE_HTML: HostileHtml[] = [
  ...HOSTILE.map(([start, piece]) => ({
    name: JSON.stringify(`${start}${piece}…`),
    ofLength: (length: number) => start + piece.repeat(Math.max(0, length - start.length) / piece.length),
  })),
  { name: 'many attributes', ofLength: (length) => `<p${withNumbers(length, (index) => ` a${index}=b`)}>` },
  {
    name: 'many attributes that are kept',
    ofLength: (length) => `<p${withNumbers(length, (index) => ` aria-${index}=b`)}>`,
  },
  {
    name: 'nested elements',
    ofLength: (length) => '<div>'.repeat(length / 11) + '</div>'.repeat(length / 11),
  },
  { name: 'many images', ofLength: (length) => withNumbers(length, (index) => `<img src="cid:%${index}">`) },
  { name: 'many links', ofLength: (length) => withNumbers(length, (index) => `<a href="https://a/%${index}">x</a>`) },
]

function withNumbers(length: number, piece: (index: number) => string): string {
  let text = ''
  for (let index = 0; text.length < length; index++) text += piece(index)
  return text
}
