import * as vocabulary from './code-vocabulary.ts'

// What stands around a number, as the code scorer reads it. Everything here is matched against lower-cased text.

/**
 * What a word says about a number beside it. `code` names a one-time code; `proof` speaks of proving who one is, as links
 * do too; `name` names another number outright; `other` often does, but also stands in "the code to confirm your order".
 */
export type WordKind = 'code' | 'proof' | 'name' | 'other'
export type Word = { kind: WordKind; start: number; end: number }

/** The telling words of a text in their order. */
export function findWords(text: string): Word[] {
  const found: Word[] = vocabulary.UNSPACED.test(text) ? findUnspacedWords(text) : []
  let previous = ''
  let position = 0
  while (position < text.length) {
    const start = position
    const first = text.charCodeAt(position++)
    if (isWordUnit(first)) while (isWordUnit(text.charCodeAt(position))) position++
    else if (first !== COPYRIGHT) continue
    const word = text.slice(start, position)
    const entry = DICTIONARY.get(word)
    if (entry === 'between') continue
    const kind = kindOf(entry, word, previous)
    // "Code promo", "code of conduct": the word before was no code after all.
    if (kind && entry === 'after other code') found.pop()
    if (kind) found.push({ kind, start, end: position })
    previous = word
  }
  return found
}

const COPYRIGHT = 0xa9

/** Latin with all its accents, and from Greek to Georgian what writes with spaces, but for commas and full stops. */
function isWordUnit(unit: number): boolean {
  if (unit < 0xc0) return (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57)
  if (unit <= 0x24f) return true
  return (
    (unit >= 0x370 && unit <= 0x60b) ||
    (unit >= 0x610 && unit <= 0x61a) ||
    (unit >= 0x620 && unit <= 0x963) ||
    (unit >= 0x966 && unit <= 0xdff) ||
    (unit >= 0x10a0 && unit <= 0x10ff) ||
    (unit >= 0x1e00 && unit <= 0x1eff)
  )
}

function kindOf(entry: Entry | undefined, word: string, previous: string): WordKind | undefined {
  switch (entry) {
    case undefined:
      return word.length > SHORT_LENGTH_MAX ? kindOfStem(word) : undefined
    case 'code':
      return vocabulary.BEFORE_OTHER_CODE.has(previous) ? 'name' : 'code'
    case 'number':
      return vocabulary.NUMBERED.has(previous) || DICTIONARY.get(previous) === 'other' ? 'name' : undefined
    case 'other':
      // "Numéro de commande", as "order number" is written in most languages.
      return DICTIONARY.get(previous) === 'number' ? 'name' : 'other'
    case 'after other code':
      return DICTIONARY.get(previous) === 'code' ? 'name' : undefined
    case 'between':
      return undefined
    case 'end of pair':
      return vocabulary.PAIRS.get(`${previous} ${word}`)
    default:
      return entry
  }
}

function kindOfStem(word: string): WordKind | undefined {
  // Asked of every long word, so the look at all endings and starts is worth avoiding.
  if (HAS_CODE.test(word)) {
    const ending = vocabulary.CODE_ENDINGS.find((known) => word.endsWith(known))
    if (ending) return vocabulary.BEFORE_OTHER_CODE.has(word.slice(0, -ending.length)) ? 'name' : 'code'
    if (vocabulary.CODE_START.test(word)) return 'code'
  }
  if (vocabulary.NAME_ENDING.test(word)) return 'name'
  return vocabulary.PROOF.test(word) ? 'proof' : undefined
}
const HAS_CODE = /[ck]o?[oó][dð]/

type Entry = WordKind | 'number' | 'after other code' | 'end of pair' | 'between'

// One look-up for each word: it is the scorer's innermost loop.
const DICTIONARY = new Map<string, Entry>([
  ...[...vocabulary.PAIRS.keys()].map((pair): [string, Entry] => [pair.slice(pair.indexOf(' ') + 1), 'end of pair']),
  ...vocabulary.BETWEEN.map((word): [string, Entry] => [word, 'between']),
  ...vocabulary.AFTER_OTHER_CODE.map((word): [string, Entry] => [word, 'after other code']),
  ...vocabulary.NUMBER.map((word): [string, Entry] => [word, 'number']),
  ...vocabulary.OTHER.map((word): [string, Entry] => [word, 'other']),
  ...vocabulary.NAME.map((word): [string, Entry] => [word, 'name']),
  ['login', 'proof'],
  ...vocabulary.CODE.map((word): [string, Entry] => [word, 'code']),
])

// Up to here a word tells something only if it is in the dictionary as it is.
const SHORT_LENGTH_MAX = 5

function findUnspacedWords(text: string): Word[] {
  return [...text.matchAll(vocabulary.UNSPACED_WORDS)].map((match) => {
    const [word, name, code, proof] = match
    const kind = name ? 'name' : code ? 'code' : proof ? 'proof' : 'other'
    return { kind, start: match.index, end: match.index + word.length }
  })
}

// ASSIGNED, TOLD_TO_USE, POINTED_AT and the patterns named `…_BEFORE` look back from the number: see `matchesAt`.

/** "#123456" */
export const HASH_BEFORE = /(?<=#\s?)/y

/** Words of offers: what looks like a code beside them is a voucher. */
export const OFFER_WORDS =
  /%|(?<![a-z])(?:off|discount|coupon|checkout|voucher|rabatt|gutschein|descuento|sconto)(?![a-z])/

const CURRENCY =
  'usd|eur|gbp|chf|pln|rub|uah|jpy|krw|cny|inr|brl|cad|aud|sek|nok|dkk|kr|zł|tl|kč|ft|lei|rp|руб|грн|euros?|dollars?'
const COUNTED =
  'seconds?|minutes?|mins?|minuten|hours?|stunden|days?|tage|weeks?|months?|years?|points?|punkte|credits?|users?|items?|people|members|subscribers|customers|readers|words|lines|files|commits|downloads|views|visits|requests|followers|results|characters|times|miles|steps|px|kb|mb|gb|km|kg|kwh|kcal|ms|s|secs?'

/** Directly behind a number they make it an amount, a quantity ("482913 lines of code") or a share. */
export const UNIT_BEHIND = new RegExp(
  `^ ?(?:[$€£¥₹₽₺₴₩%円元원]|(?:${CURRENCY}|${COUNTED}|of (?:the|your|our|all)|(?!instead|because)[a-z]+ of)(?![a-z]))`,
)
export const CURRENCY_BEFORE = new RegExp(`(?<=(?:[$€£¥₹₽₺₴₩]|(?<![a-z])(?:${CURRENCY})) ?)`, 'y')

/** A number with one of these behind says how long something is valid. */
export const DURATION = '\\d{1,3} ?(?:min|sec|hour|stunde|dakika|мин|хв|分|秒|小时|時間|분|시간)'

/** "Code: 123456", "your code is 123456" in the languages above. */
export const ASSIGNED =
  /(?<=(?:[:：=–—-]|(?<![a-zà-ÿ])(?:is|ist|lautet|est|es|é|è|jest|to|är|er|je|este|là|adalah|είναι|е|הוא|هو)|是|为|為|は|는|은|คือ)\s*["'“„«*_[(「【]*\s*)/y

/** "Use 123456 to sign in" */
export const TOLD_TO_USE =
  /(?<=(?<![a-z])(?:use|enter|type|insert|provide|input|paste|(?:verwenden|nutzen) sie|geben sie|utilisez|saisissez|usa|introduce|insira|inserisci|gebruik|voer|wpisz|użyj|введите|введіть)\s*["'“*_]*)/y

/** "The card ending in 4417": the end of a number that is not told. */
export const ENDING_BEFORE =
  /(?<=(?:(?:ending|ends) (?:in|with)|endet auf|mit der endziffer|se terminant par|terminad[oa] en|termina en|terminad[oa] em|尾号|尾號|末尾)\s*)/y

/** "Here it is: 123456", in the sentence after the one that speaks of a code. */
export const POINTED_AT =
  /(?<=(?<![a-zà-ÿ])(?:it['’]?s|it is|here it is|here you go|hier ist er|er lautet|le voici|c['’]est|aquí está|es este|eccolo|hier is hij)\s*:?\s*)/y

/** "At 0931" */
export const TIME_BEFORE = /(?<=(?<![a-zà-ÿ])(?:at|from|until|um|ab|bis|à|alle|às|las|kl\.?|om)\s)/y

/** "… 123456 to confirm", "… 123456, um sich anzumelden": what it is good for. */
export const PURPOSE_BEHIND = /^[^.!?\n]{0,30}(?<![a-zà-ÿ])(?:to|um|pour|para|per|om|aby|чтобы|щоб)(?![a-zà-ÿ])/

/** The name of a mail header at the start of a line. */
export const HEADER_LINE =
  /^[>\s]*(?:x-[\w-]+|message-id|received|return-path|in-reply-to|references|dkim-[\w-]+|arc-[\w-]+|content-[\w-]+|feedback-id|list-[\w-]+|source|date):/
