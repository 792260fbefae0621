/** Decodes numeric entities and the named entities that mail uses. Unknown entities do not change. */
export function decodeEntities(text: string): string {
  let ampersand = text.indexOf('&')
  if (ampersand === -1) return text
  let decoded = ''
  let copiedTo = 0
  for (; ampersand !== -1; ampersand = nextAmpersand(text, ampersand)) {
    ENTITY.lastIndex = ampersand
    const match = ENTITY.exec(text)
    if (!match) continue
    const [whole, decimal, hexadecimal, name] = match
    const character = name
      ? NAMED.get(name)
      : fromCodePoint(decimal ? Number(decimal) : parseInt(hexadecimal ?? '', 16))
    if (character === undefined) continue
    decoded += text.slice(copiedTo, ampersand) + character
    copiedTo = ampersand + whole.length
  }
  return decoded + text.slice(copiedTo)
}

// Named entities need a semicolon, so that `?a=1&copy=2` in a link does not change. Numeric ones need none, as in
// browsers.
const ENTITY = /&(?:#(\d{1,8});?|#[xX]([\da-fA-F]{1,8});?|([a-zA-Z][a-zA-Z\d]{1,9});)/y

// Within a run of ampersands, only the last one can start an entity. Skipping the others keeps hostile input cheap.
function nextAmpersand(text: string, from: number): number {
  let position = from + 1
  if (text.charCodeAt(position) !== AMPERSAND) return text.indexOf('&', position)
  while (text.charCodeAt(position + 1) === AMPERSAND) position++
  return position
}
const AMPERSAND = 38

function fromCodePoint(codePoint: number): string {
  if (codePoint >= 0x80 && codePoint <= 0x9f) return WINDOWS_1252[codePoint - 0x80] ?? REPLACEMENT
  const isCharacter = codePoint > 0 && codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff)
  return isCharacter ? String.fromCodePoint(codePoint) : REPLACEMENT
}
const REPLACEMENT = '\ufffd'

// In HTML, the numbers 128 to 159 mean windows-1252. Old mail programs write `&#146;` for an apostrophe.
const WINDOWS_1252 = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 32 }, (_, index) => 0x80 + index))

const VISIBLE = `
  amp & lt < gt > quot " apos ' copy © reg ® trade ™ deg ° sect § para ¶ middot · bull • hellip … ndash – mdash —
  lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ laquo « raquo » lsaquo ‹ rsaquo › iexcl ¡ iquest ¿
  euro € pound £ yen ¥ cent ¢ times × divide ÷ plusmn ± larr ← rarr → check ✓
  num # sol / colon : period . comma , commat @ equals = lowbar _
  auml ä ouml ö uuml ü Auml Ä Ouml Ö Uuml Ü szlig ß agrave à Agrave À aacute á acirc â atilde ã aring å aelig æ
  ccedil ç Ccedil Ç egrave è eacute é Eacute É ecirc ê euml ë igrave ì iacute í icirc î iuml ï ntilde ñ
  ograve ò oacute ó ocirc ô otilde õ oslash ø oelig œ ugrave ù uacute ú ucirc û
`
const NAMED = new Map([
  ...[...VISIBLE.matchAll(/(\S+) (\S)/g)].map(([, name = '', character = '']) => [name, character] as const),
  ...['nbsp', 'ensp', 'emsp', 'thinsp'].map((name) => [name, ' '] as const),
  ['zwnj', '\u200c'],
  ['zwj', '\u200d'],
  ['lrm', '\u200e'],
  ['rlm', '\u200f'],
  ['shy', '\u00ad'],
])
