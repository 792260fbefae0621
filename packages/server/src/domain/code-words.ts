import * as vocabulary from './code-vocabulary.ts'

// What stands around a number, as the code scorer reads it. Everything here is matched against lower-cased text.

/**
 * What a word says about a number beside it. `code` names a one-time code; `password` does so where nothing but the number
 * follows; `proof` speaks of proving who one is, as links do too; `name` names another number outright; `other` often does,
 * but also stands in "the code to confirm your order".
 */
export type WordKind = 'code' | 'password' | 'proof' | 'name' | 'other'
export type Word = { kind: WordKind; start: number; end: number }

/** The telling words of a text in their order. */
export function findWords(text: string): Word[] {
  const found: Word[] = vocabulary.UNSPACED.test(text) ? findUnspacedWords(text) : []
  let previous = ''
  let previousEnd = 0
  let position = 0
  while (position < text.length) {
    const start = position
    const first = text.charCodeAt(position++)
    if (isWordUnit(first)) while (isWordUnit(text.charCodeAt(position))) position++
    else if (first !== COPYRIGHT) continue
    const word = text.slice(start, position)
    const entry = DICTIONARY.get(word)
    const isNext = start === previousEnd + 1 && isJoint(text.charCodeAt(previousEnd))
    if (entry === 'between') {
      if (isNext) previousEnd = position
      continue
    }
    // "Code promo", "code of conduct": the word before was no code after all.
    const isOtherCode = isNext && vocabulary.AFTER_OTHER_CODE.has(word) && DICTIONARY.get(previous) === 'code'
    if (isOtherCode) found.pop()
    const kind = isOtherCode ? 'name' : kindOf(entry, word, previous)
    if (kind) found.push({ kind, start, end: position })
    previous = word
    previousEnd = position
  }
  return found
}

const COPYRIGHT = 0xa9

/** A space, hyphen, apostrophe or line break between two words of one name. */
function isJoint(unit: number): boolean {
  return unit === 0x20 || unit === 0x2d || unit === 0x27 || unit === 0x2019 || unit === 0xa0
}

/** Latin with all its accents, and from Greek to Ethiopic what writes with spaces, but for commas and full stops. */
function isWordUnit(unit: number): boolean {
  if (unit < 0xc0) return (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57)
  if (unit <= 0x24f) return true
  return (
    (unit >= 0x370 && unit <= 0x60b) ||
    (unit >= 0x610 && unit <= 0x61a) ||
    (unit >= 0x620 && unit <= 0x963) ||
    (unit >= 0x966 && unit <= 0xdff) ||
    (unit >= 0x10a0 && unit <= 0x10ff) ||
    (unit >= 0x1200 && unit <= 0x135f) ||
    (unit >= 0x1e00 && unit <= 0x1eff)
  )
}

function kindOf(entry: Entry | undefined, word: string, previous: string): WordKind | undefined {
  switch (entry) {
    case undefined:
      return word.length > SHORT_LENGTH_MAX ? kindOfStem(word) : undefined
    case 'code':
      return vocabulary.BEFORE_OTHER_CODE.has(previous) && !vocabulary.ALWAYS_ONE_TIME.has(word) ? 'name' : 'code'
    case 'number':
      return vocabulary.NUMBERED.has(previous) || DICTIONARY.get(previous) === 'other' ? 'name' : undefined
    case 'other':
      return namesNumber(word, DICTIONARY.get(previous)) ? 'name' : 'other'
    case 'between':
      return undefined
    case 'end of pair':
      return PAIRS.get(`${previous} ${word}`)
    default:
      return entry
  }
}

/** "Numéro de commande", as "order number" is written in most languages, and "booking reference". */
function namesNumber(word: string, previous: Entry | undefined): boolean {
  return previous === 'number' || (previous === 'other' && vocabulary.REFERENCE.has(word))
}

function kindOfStem(word: string): WordKind | undefined {
  // Asked of every long word, so the look at all endings and starts is worth avoiding.
  if (HAS_CODE.test(word)) {
    const ending = vocabulary.CODE_ENDINGS.find((known) => word.endsWith(known))
    if (ending) return vocabulary.BEFORE_OTHER_CODE.has(word.slice(0, -ending.length)) ? 'name' : 'code'
    if (vocabulary.CODE_START.test(word)) return 'code'
  }
  if (vocabulary.NAME_ENDING.test(word)) return 'name'
  if (vocabulary.PASSWORD_ENDING.test(word)) return 'password'
  return vocabulary.PROOF.test(word) ? 'proof' : undefined
}
const HAS_CODE = /[ck]o?[oó][dð]/

type Entry = WordKind | 'number' | 'end of pair' | 'between'

const PAIRS = new Map<string, WordKind>([
  ...pairsOf(vocabulary.CODE, 'code'),
  ...pairsOf(vocabulary.PASSWORD, 'password'),
  ...pairsOf(vocabulary.COUNTED_CODES, 'name'),
  ...pairsOf(vocabulary.PROOF_PAIRS, 'proof'),
])

function pairsOf(words: string[], kind: WordKind): [string, WordKind][] {
  return words.filter((word) => /[_ ]/.test(word)).map((word) => [word.replace('_', ' '), kind])
}

// One look-up for each word: it is the scorer's innermost loop.
const DICTIONARY = new Map<string, Entry>([
  ...[...PAIRS.keys()].map((pair): [string, Entry] => [pair.slice(pair.indexOf(' ') + 1), 'end of pair']),
  ...entriesOf(vocabulary.BETWEEN, 'between'),
  ...entriesOf(vocabulary.NUMBER, 'number'),
  ...entriesOf(vocabulary.OTHER, 'other'),
  ...entriesOf(vocabulary.NAME, 'name'),
  ['login', 'proof'],
  ...entriesOf(vocabulary.PASSWORD, 'password'),
  ...entriesOf(vocabulary.CODE, 'code'),
])

function entriesOf(words: string[], entry: Entry): [string, Entry][] {
  return words.filter((word) => !word.includes('_')).map((word) => [word, entry])
}

// Up to here a word tells something only if it is in the dictionary as it is.
const SHORT_LENGTH_MAX = 5

function findUnspacedWords(text: string): Word[] {
  return [...text.matchAll(vocabulary.UNSPACED_WORDS)].map((match) => {
    const [word, name, code, password, proof] = match
    const kind = name ? 'name' : code ? 'code' : password ? 'password' : proof ? 'proof' : 'other'
    return { kind, start: match.index, end: match.index + word.length }
  })
}

// ASSIGNED, SAID, TOLD_TO_USE, POINTED_AT and the patterns named `…_BEFORE` look back from the number: see `matchesAt`.

/** "#123456" */
export const HASH_BEFORE = /(?<=#\s?)/y

/** Words of offers: what looks like a code beside them is a voucher. */
export const OFFER_WORDS =
  /%|(?<![a-z])(?:off|discount|coupon|checkout|voucher|rabatt|gutschein|descuento|sconto)(?![a-z])/

const CURRENCY =
  'usd|eur|gbp|chf|pln|rub|uah|jpy|krw|cny|inr|brl|cad|aud|sek|nok|dkk|kr|zł|tl|kč|ft|lei|rp|руб|грн|euros?|dollars?'
const COUNTED =
  'seconds?|minutes?|mins?|minuten|hours?|stunden|days?|tage|weeks?|months?|years?|points?|punkte|credits?|users?|accounts?|items?|people|members|subscribers|customers|readers|words|lines|files|commits|downloads|views|visits|requests|followers|results|characters|times|miles|steps|px|kb|mb|gb|km|kg|kwh|kcal|ms|s|secs?'

/** Directly behind a number they make it an amount, a quantity ("482913 lines of code") or a share. */
export const UNIT_BEHIND = new RegExp(
  `^ ?(?:[$€£¥₹₽₺₴₩%円元원]|(?:${CURRENCY}|${COUNTED}|of (?:the|your|our|all)|(?!instead|because)[a-z]+ of)(?![a-z]))`,
)
export const CURRENCY_BEFORE = new RegExp(`(?<=(?:[$€£¥₹₽₺₴₩]|(?<![a-z])(?:${CURRENCY})) ?)`, 'y')

/** A number with one of these behind says how long something is valid. */
export const DURATION = '\\d{1,3} ?(?:min|sec|hour|stunde|dakika|мин|хв|分|秒|小时|時間|분|시간)'

const IS =
  'is|ist|lautet|lauten|est|es|é|è|és|jest|to|är|er|je|este|là|adalah|ialah|ay|ni|yra|ir|είναι|е|це|הוא|היא|هو|هي|است|(?:salasana|koodi|kood|parool|salasõna)[a-z]{0,3} on'
// What may stand between the words and the code: "is **", ": “".
const OPENED = '\\s*["\'“„«*_[(「【]*\\s*'

/** "Code: 123456", "your code is 123456" in the languages of the vocabulary. */
export const ASSIGNED = new RegExp(`(?<=(?:[:：=–—-]|(?<![a-zà-ÿ])(?:${IS})|是|为|為|は|는|은|คือ)${OPENED})`, 'y')
/** The same without marks, which also stand between things that do not belong together. */
export const SAID = new RegExp(`(?<=(?:(?<![a-zà-ÿ])(?:${IS})|是|为|為|は|는|은|คือ)[:：]?${OPENED})`, 'y')
/** "123456 is your code", "use 123456 as your password" */
export const SAID_BEHIND = new RegExp(
  `^["'”»*_\\])】」]*\\s?(?:[–—(-]|(?:${IS}|as|als|como|come|comme|jako|som|on|la|как|як|olarak)(?![a-zà-ÿ]))`,
)

/** "Use 123456 to sign in" */
export const TOLD_TO_USE =
  /(?<=(?<![a-z])(?:use|enter|type|insert|provide|input|paste|(?:verwenden|nutzen) sie|geben sie|gib|utilisez|saisissez|entrez|usa|use|introduce|ingresa|insira|digite|inserisci|gebruik|voer|wpisz|użyj|zadejte|введите|введіть|masukkan|nhập|ange|indtast|skriv|syötä|introduceți)\s*["'“*_]*)/y

/** "The card ending in 4417": the end of a number that is not told. */
export const ENDING_BEFORE =
  /(?<=(?:(?:ending|ends) (?:in|with)|endet auf|mit der endziffer|se terminant par|terminad[oa] en|termina en|terminad[oa] em|尾号|尾號|末尾)\s*)/y

/** "Here it is: 123456", in the sentence after the one that speaks of a code. */
export const POINTED_AT =
  /(?<=(?<![a-zà-ÿ])(?:it['’]?s|it is|here it is|here you go|hier ist er|er lautet|le voici|c['’]est|aquí está|es este|eccolo|hier is hij)\s*:?\s*)/y

/** States and other words that stand where a code would: "Your code: EXPIRED". */
export const NEVER_A_CODE =
  /^(?:NONE|NULL|HERE|BELOW|ABOVE|EXPIRED|INVALID|REQUIRED|UNKNOWN|PENDING|ACTIVE|INACTIVE|VALID|SENT|USED|READY|EMAIL|PHONE|MOBILE|NOTE|IMPORTANT|WARNING|PLEASE|CONFIRMED|CHANGED|ENABLED|DISABLED|SUCCESS|FAILED|ERROR)$/

/** "At 0931" */
export const TIME_BEFORE = /(?<=(?<![a-zà-ÿ])(?:at|from|until|um|ab|bis|à|alle|às|las|kl\.?|om)\s)/y

/** "… 123456 to confirm", "… 123456, um sich anzumelden": what it is good for. */
export const PURPOSE_BEHIND = /^[^.!?\n]{0,30}(?<![a-zà-ÿ])(?:to|um|pour|para|per|om|aby|чтобы|щоб)(?![a-zà-ÿ])/

/** The name of a mail header at the start of a line. */
export const HEADER_LINE =
  /^[>\s]*(?:x-[\w-]+|message-id|received|return-path|in-reply-to|references|dkim-[\w-]+|arc-[\w-]+|content-[\w-]+|feedback-id|list-[\w-]+|source|date):/
