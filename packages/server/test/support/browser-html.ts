import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { parse, Tokenizer, TokenizerMode, type DefaultTreeAdapterTypes, type Token } from 'parse5'
import type { Attributes } from '../../src/domain/html/html-attributes.ts'
import { tokenizeHtml } from '../../src/domain/html/html-tokens.ts'
import type { SeededRandom } from './seeded-random.ts'

// What browsers make of HTML, according to parse5, and what our tokenizer makes of it, in the same form.

export type HtmlToken = { kind: 'text' | 'open' | 'close' | 'style'; value: string; attributes?: [string, string][] }

export function ourTokens(html: string): HtmlToken[] {
  const tokens = tokenList()
  tokenizeHtml(html, {
    wantsAllAttributes: true,
    text: (run) => tokens.add('text', decodeHTML(run)),
    style: (css) => tokens.add('style', css),
    open: (value, { all = new Map() }) =>
      tokens.add(
        'open',
        value,
        Array.from(all, ([name, encoded]) => [name, decodeHTMLAttribute(encoded)]),
      ),
    close: (value) => tokens.add('close', value),
  })
  return tokens.all
}

/** Those attributes of every element that are also kept for sinks that do not want all. */
export function ourAttributes(html: string): Attributes[] {
  const found: Attributes[] = []
  tokenizeHtml(html, {
    text: () => {},
    open: (_, attributes) => found.push(attributes),
    close: () => {},
  })
  return found
}

export function standardTokens(html: string): HtmlToken[] {
  const tokens = tokenList()
  let element = ''
  const addText = ({ chars }: Token.CharacterToken) => {
    if (element === 'style') tokens.add('style', chars)
    else if (!UNSHOWN.has(element)) tokens.add('text', chars)
  }
  const ignore = () => {}
  const tokenizer = new Tokenizer(
    {},
    {
      onCharacter: addText,
      onWhitespaceCharacter: addText,
      onNullCharacter: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onParseError: null,
      onEof: ignore,
      onStartTag({ tagName, attrs }) {
        tokens.add(
          'open',
          tagName,
          attrs.map(({ name, value }) => [name, value]),
        )
        tokenizer.state = CONTENT_STATE.get(tagName) ?? TokenizerMode.DATA
        element = tagName
      },
      onEndTag({ tagName }) {
        tokens.add('close', tagName)
        element = ''
      },
    },
  )
  tokenizer.write(html, true)
  return tokens.all
}

/** Joins texts, and writes line breaks and zero bytes as browsers do, which `tokenizeHtml` leaves to others. */
function tokenList() {
  const all: HtmlToken[] = []
  return {
    all,
    add(kind: HtmlToken['kind'], raw: string, attributes?: [string, string][]) {
      // Zero bytes are dropped from text, but replaced in a text area. Neither shows them.
      const value = kind === 'text' ? even(raw).replaceAll('\ufffd', '') : even(raw)
      const last = all.at(-1)
      if (value === '' && (kind === 'text' || kind === 'style')) return
      if (last && last.kind === kind && (kind === 'text' || kind === 'style')) last.value = even(last.value + value)
      else if (attributes)
        all.push({ kind, value, attributes: attributes.map(([name, one]) => [even(name), even(one)]) })
      else all.push({ kind, value })
    },
  }
}

export function even(text: string): string {
  return text.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd')
}

const CONTENT_STATE = new Map([
  ['title', TokenizerMode.RCDATA],
  ['textarea', TokenizerMode.RCDATA],
  ['style', TokenizerMode.RAWTEXT],
  ['xmp', TokenizerMode.RAWTEXT],
  ['iframe', TokenizerMode.RAWTEXT],
  ['noembed', TokenizerMode.RAWTEXT],
  ['noframes', TokenizerMode.RAWTEXT],
  ['script', TokenizerMode.SCRIPT_DATA],
  ['plaintext', TokenizerMode.PLAINTEXT],
])

const UNSHOWN = new Set(['title', 'style', 'iframe', 'noembed', 'noframes', 'script'])

export type HtmlTree = { text: string; elements: string[]; attributes: [string, string][] }

/** The tree of a browser without scripts. White space is left out of the text: a tree has none between table rows. */
export function standardTree(html: string): HtmlTree {
  const tree: HtmlTree = { text: '', elements: [], attributes: [] }
  const walk = (node: DefaultTreeAdapterTypes.Node) => {
    if ('tagName' in node) {
      tree.elements.push(node.tagName)
      for (const { name, value } of node.attrs) tree.attributes.push([name, value])
    }
    if (UNSHOWN.has(node.nodeName)) return
    if ('value' in node) tree.text += node.value
    if ('content' in node) walk(node.content)
    if ('childNodes' in node) node.childNodes.forEach(walk)
  }
  walk(parse(html, { scriptingEnabled: false }))
  return { ...tree, text: shown(tree.text) }
}

export function tokenText(tokens: HtmlToken[]): string {
  return shown(tokens.map(({ kind, value }) => (kind === 'text' ? value : '')).join(''))
}

function shown(text: string): string {
  return text.replace(/[\s\0\ufffd]/g, '')
}

const NAMES = 'p b a div li pre title textarea style script xmp iframe noembed noframes plaintext STYLE styl Script'
/** Inside of these, a tree moves or drops text, or other rules apply to tags. */
const ODD_NAMES = 'svg math table td select template noscript frameset img mtext foreignObject'
const MARKS = `< </ > /> <!-- --> --!> --! <!--> <!---> <!--!> <! <? <![CDATA[ ]]> -- <!doctype </> </script </style
  <script><!--<script> <script><!--><script></script> </title </textarea </xmp`.split(/\s+/)
const ATTRIBUTES = ['"', "'", '=', ' ', '\n', '\r\n', '/', 'x="', "y='", 'href=', ' hidden', '\u000b', '\f', ' HREF=']
const VALUES = [
  ' onerror=x ',
  ' href=1 HREF=2 ',
  ' href="javascript:x" ',
  ' style="display&colon;none"',
  ' alt=&lt ',
  " Alt='&copy=1&copy'",
]
const TEXTS = `& &amp &lt; &#60 &# &#x3c; &#x110000; &#128; &notit; &copy= &nosuch; &CounterClockwiseContourIntegral; \0
  a b1 é 😀 \u212a \u0130 - x javascript: \ud800`.split(/[ \n]+/)
const PIECES = [...MARKS, ...ATTRIBUTES, ...VALUES, ...TEXTS]

/** `isOdd` also makes elements in which a tree and a tokenizer differ. */
export function randomHtml(random: SeededRandom, { isOdd }: { isOdd: boolean }): string {
  const names = (isOdd ? `${NAMES} ${ODD_NAMES}` : NAMES).split(' ')
  const tag = () => `<${random.chance(0.5) ? '/' : ''}${random.pick(names)}${random.pick(['>', '>', '>', ' ', ''])}`
  const length = 1 + random.below(20)
  return Array.from({ length }, () => (random.chance(0.5) ? tag() : random.pick(PIECES))).join('')
}
