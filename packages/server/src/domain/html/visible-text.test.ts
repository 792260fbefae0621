import { describe, expect, test } from 'vitest'
import { workMs } from '../../../test/support/work-time.ts'
import { visibleText } from './visible-text.ts'

describe('hidden text is dropped and counted', () => {
  test.each<{ name: string; html: string }>([
    { name: 'not displayed', html: '<div style="display:none">secret</div>' },
    { name: 'the hidden attribute', html: '<div hidden>secret</div>' },
    { name: 'not visible', html: '<div style="visibility: hidden">secret</div>' },
    { name: 'hidden in one mail program', html: '<div style="mso-hide:all">secret</div>' },
    { name: 'no font size', html: '<div style="font-size:0">secret</div>' },
    { name: 'a font of one pixel', html: '<div style="FONT-SIZE: 1px !important">secret</div>' },
    { name: 'no height', html: '<div style="max-height:0px;overflow:hidden">secret</div>' },
    { name: 'cut to nothing', html: '<div style="height:0;overflow:hidden">secret</div>' },
    { name: 'without opacity', html: '<div style="opacity:0.0">secret</div>' },
    { name: 'off the page', html: '<div style="position:absolute;left:-9999px">secret</div>' },
    { name: 'white on white', html: '<div style="color:#fff">secret</div>' },
    { name: 'nearly white on white', html: '<div style="color: rgb(250, 250, 250)">secret</div>' },
    { name: 'white by name', html: '<font color="White">secret</font>' },
    { name: 'transparent', html: '<div style="color:rgba(0,0,0,0)">secret</div>' },
    { name: 'dark on dark', html: '<table bgcolor="#111111"><tr><td style="color:#000">secret</td></tr></table>' },
    {
      name: 'an element inside a hidden one',
      html: '<div style="display:none"><p style="display:block">secret</p></div>',
    },
    { name: 'a cell left open', html: '<table><tr><td hidden>secret<td></td></tr></table>' },
    { name: 'the description of a picture', html: '<div hidden><img alt="secret"></div>' },
    { name: 'escaped style', html: '<div style="display&#58;none">secret</div>' },
  ])('$name', ({ html }) => {
    expect(visibleText(`<p>before</p>${html}<p>after</p>`)).toEqual({ text: 'before\n\nafter', hiddenCharacters: 6 })
  })
})

describe('visible text stays', () => {
  test.each<{ name: string; html: string }>([
    { name: 'white on a coloured button', html: '<a style="background:#06c;color:#fff">shown</a>' },
    {
      name: 'white in a coloured cell',
      html: '<table><td bgcolor="#0066cc"><span style="color:#fff">shown</span></td></table>',
    },
    { name: 'white on a picture', html: '<div style="background:url(a.png);color:#fff">shown</div>' },
    { name: 'a size inside of none', html: '<div style="font-size:0"><span style="font-size:14px">shown</span></div>' },
    { name: 'a spacer', html: '<div style="height:0"><b>shown</b></div>' },
    { name: 'the description of a picture', html: '<img src="cid:1" alt="shown">' },
    { name: 'half opacity', html: '<p style="opacity:0.5">shown</p>' },
    { name: 'a colour we do not know', html: '<p style="color:var(--text)">shown</p>' },
  ])('$name', ({ html }) => {
    expect(visibleText(html)).toEqual({ text: 'shown', hiddenCharacters: 0 })
  })
})

test.each<{ name: string; piece: string }>([
  { name: 'elements in elements', piece: '<div style="color:#fff">' },
  { name: 'ends without a start', piece: '</div>' },
  { name: 'cells left open', piece: '<td>x' },
])('a megabyte of $name is read in linear time', ({ piece }) => {
  const html = '<b>'.repeat(200) + piece.repeat(1024 ** 2 / piece.length)
  // Several times the usual time. A quadratic scan would take minutes.
  expect(workMs(() => visibleText(html))).toBeLessThan(3_000)
})
