import type { SeededRandom } from '../support/seeded-random.ts'
import type { Attack } from './isolation-attack.ts'

type Change = (random: SeededRandom, html: string) => string

/** What may be around an attack. Some are not closed, or in the wrong order. */
const AROUND: [string, string][] = [
  ['<div>', '</div>'],
  ['<table><tr><td>', '</table>'],
  ['<table>', '</table>'],
  ['<b><i>', '</b></i>'],
  ['<center>', ''],
  ['<svg><foreignObject>', '</foreignObject></svg>'],
  ['<svg><desc>', '</desc></svg>'],
  ['<math><mtext>', '</mtext></math>'],
  ['<p title="a>b">', '</p>'],
  ["<p title='</p>'>", ''],
  ['<ul><li>', '</ul>'],
  ['<details open><summary>x</summary>', '</details>'],
  ['<font color=red>', '</font>'],
  ['<!--[if !mso]><!-->', '<!--<![endif]-->'],
  ['<blockquote>', ''],
  ['<a name=x>', '</a>'],
  ['<object>', '</object>'],
  ['<div><template shadowrootmode=open>', '</template></div>'],
]

/** What may come before an attack and leaves a parser in another state. */
const BEFORE = [
  '<!doctype html>',
  '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN">',
  '<html><head></head><body>',
  '<!-- > -->',
  '<!--->',
  '</p></div></body>',
  '<x y=z>',
  '<<',
  '&lt;',
  '<style>p{color:red}</style>',
  '<?xml version="1.0"?>',
  '<![CDATA[]]>',
  '<title>x</title>',
  '<textarea></textarea>',
  '<select></select>',
  '<meta charset=utf-8>',
  '<base target=_blank>',
  '<a href="https://shop.example/">x</a>',
  'x'.repeat(2_000),
  '\u0000',
  '\u202e',
]

const NOISE = [`data-x="'>"`, `class='a"b'`, 'id=x', 'style=""', '=', '"', 'style="color:red"', 'dir=rtl', 'x:y=z']
const SPACES = ['\n', '\t', '\f', '\r\n', '/', ' / ']

const CHANGES: Change[] = [
  (random, html) => {
    const [start, end] = random.pick(AROUND)
    return start + html + end
  },
  (random, html) => random.pick(BEFORE) + html,
  (random, html) => html.replaceAll(/<\/?[a-z]+/gi, (tag) => randomCase(random, tag)),
  (random, html) => html.replaceAll(/(<[a-z]+) /gi, (_, tag: string) => tag + random.pick(SPACES)),
  (random, html) => html.replace(/<[a-z]+(?=[\s>])/i, (tag) => `${tag} ${random.pick(NOISE)}`),
  (random, html) =>
    html.replaceAll(/(\bon\w+=")([^"]*)/gi, (_, name: string, value: string) => name + withReferences(random, value)),
  (random, html) => html + random.pick(BEFORE),
]

function randomCase(random: SeededRandom, text: string): string {
  return Array.from(text, (letter) => (random.chance(0.5) ? letter.toUpperCase() : letter.toLowerCase())).join('')
}

/** Some characters as decimal or hexadecimal references. */
function withReferences(random: SeededRandom, text: string): string {
  const referred = (letter: string) =>
    random.chance(0.5) ? `&#${letter.charCodeAt(0)};` : `&#x${letter.charCodeAt(0).toString(16)};`
  return text.replaceAll(/[a-z.'+(]/gi, (letter) => (random.chance(0.3) ? referred(letter) : letter))
}

/** The attack between other markup and in another spelling. */
export function varied(random: SeededRandom, attack: Attack): Attack {
  let { html } = attack
  const times = 1 + random.below(3)
  for (let time = 0; time < times; time++) html = random.pick(CHANGES)(random, html)
  return { ...attack, html }
}
