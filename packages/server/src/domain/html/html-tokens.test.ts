import { describe, expect, test } from 'vitest'
import { compareWithStandard } from '../../../test/support/compare-html.ts'
import { htmlToText } from './html-text.ts'

describe('text is read as in a browser', () => {
  test.each<{ name: string; html: string; text: string }>([
    { name: 'a comment that ends with a mark', html: 'a<!-- x --!>b', text: 'ab' },
    { name: 'a style ends only at its own name', html: 'a<style>x</styles>y</style>b', text: 'ab' },
    { name: 'a script in a comment of a script', html: 'a<script><!--<script></script>x--></script>b', text: 'ab' },
    { name: 'a text area contains no tags', html: '<textarea><b>1</b> &lt;</textarea>2', text: '<b>1</b> <2' },
    { name: 'an example contains no tags', html: '<xmp><b>1</b> &lt;</xmp>2', text: '<b>1</b> &lt;2' },
    { name: 'plain text never ends', html: 'a<plaintext><b>1</plaintext>&lt;', text: 'a<b>1</plaintext>&lt;' },
    { name: 'a vertical tab is no white space', html: '<img\u000balt="x">a', text: 'a' },
    {
      name: 'only ASCII letters have a lower case',
      html: '<\u212a>a<lin\u212a hidden>b</lin\u212a>',
      text: '<\u212a>a',
    },
    {
      name: 'rare entities',
      html: '&fjlig;&NotEqualTilde;&CounterClockwiseContourIntegral;',
      text: 'fj\u2242\u0338\u2233',
    },
    { name: 'old entities need no semicolon', html: 'a&ltb&copy2026 &notit;', text: 'a<b\u00a92026 \u00acit;' },
    { name: 'a zero byte', html: '4\u00007\u000011', text: '4711' },
    { name: 'CDATA is a comment', html: 'a<![CDATA[x>b]]>', text: 'ab]]>' },
    { name: 'an escaped style', html: 'a<p style="display&colon;none">b</p>', text: 'a' },
  ])('$name', ({ html, text }) => expect(htmlToText(html)).toBe(text))
})

const SEED = Date.now() % 1_000_000

test(`random documents are read as by parse5, and cleaned of everything that is not allowed (seed ${SEED})`, () => {
  compareWithStandard({ seed: SEED, documents: 2_000 })
})
