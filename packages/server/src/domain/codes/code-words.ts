import * as vocabulary from './code-vocabulary.ts'

// Words around a number, for the code scorer. All patterns match lower-case text.

/**
 * What a word says about a number next to it. `code` names a one-time code, and so does `password` if only the number
 * follows. `proof` is about authentication, also by link. `name` names another kind of number. `other` often does, but
 * also occurs in "the code to confirm your order".
 */
export type WordKind = 'code' | 'password' | 'proof' | 'name' | 'other'
export type Word = { kind: WordKind; start: number; end: number }

/** The relevant words of a text in order. */
export function findWords(text: string): Word[] {
  const found: Word[] = vocabulary.UNSPACED.test(text) ? findUnspacedWords(text) : []
  let previous = ''
  let previousEntry: Entry | undefined
  let beforePrevious = ''
  let previousEnd = 0
  let position = 0
  while (position < text.length) {
    const start = position
    const first = text.charCodeAt(position++)
    if (isWordUnit(first)) while (isWordUnit(text.charCodeAt(position))) position++
    else if (first !== COPYRIGHT) continue
    const word = text.slice(start, position)
    const entry = DICTIONARY.get(word)
    if (entry === 'between') {
      if (isNext(text, previousEnd, start)) previousEnd = position
      continue
    }
    let kind: WordKind | undefined
    if (previousEntry === 'code' && vocabulary.AFTER_OTHER_CODE.has(word) && isNext(text, previousEnd, start)) {
      // "Code promo", "code of conduct": the previous word was not a one-time code.
      found.pop()
      kind = 'name'
    } else if (entry) kind = kindOf(entry, word, { previous, previousEntry, beforePrevious })
    else if (word.length > SHORT_LENGTH_MAX) kind = kindOfStem(word)
    if (kind) found.push({ kind, start, end: position })
    beforePrevious = previous
    previous = word
    previousEntry = entry
    previousEnd = position
  }
  return found
}

const COPYRIGHT = 0xa9

/** Whether only a space, hyphen or apostrophe separates two words, as in a compound name. */
function isNext(text: string, previousEnd: number, start: number): boolean {
  return start === previousEnd + 1 && " -'’\u00a0".includes(text.charAt(previousEnd))
}

/** Latin with all accents, and the scripts with spaces from Greek to Ethiopic, without their commas and full stops. */
function isWordUnit(unit: number): boolean {
  if (unit < 0xc0) return (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57)
  if (unit <= 0x24f) return true
  return (
    (unit >= 0x370 && unit <= 0x559) ||
    (unit >= 0x560 && unit <= 0x60b && unit !== 0x589) ||
    (unit >= 0x610 && unit <= 0x61a) ||
    (unit >= 0x620 && unit <= 0x963) ||
    (unit >= 0x966 && unit <= 0xdff) ||
    (unit >= 0x10a0 && unit <= 0x10ff) ||
    (unit >= 0x1200 && unit <= 0x135f) ||
    (unit >= 0x1e00 && unit <= 0x1eff)
  )
}

type Lead = { previous: string; previousEntry: Entry | undefined; beforePrevious: string }

function kindOf(entry: Entry, word: string, lead: Lead): WordKind | undefined {
  const { previous, previousEntry } = lead
  switch (entry) {
    case 'code':
      return isOtherCode(word, lead) ? 'name' : 'code'
    case 'number':
      return vocabulary.NUMBERED.has(previous) || previousEntry === 'other' ? 'name' : undefined
    case 'other':
      return namesNumber(word, previousEntry) ? 'name' : 'other'
    case 'between':
      return undefined
    case 'end of pair':
      return PAIRS.get(`${previous} ${word}`)
    default:
      return entry
  }
}

/** "Zip code", "booking confirmation code" */
function isOtherCode(word: string, { previous, beforePrevious }: Lead): boolean {
  if (vocabulary.ALWAYS_ONE_TIME.has(word)) return false
  const { BEFORE_OTHER_CODE, REFERENCE } = vocabulary
  return BEFORE_OTHER_CODE.has(previous) || (REFERENCE.has(previous) && BEFORE_OTHER_CODE.has(beforePrevious))
}

/** "Numéro de commande", as "order number" is written in most languages, and "booking reference". */
function namesNumber(word: string, previous: Entry | undefined): boolean {
  return previous === 'number' || (previous === 'other' && vocabulary.REFERENCE.has(word))
}

function kindOfStem(word: string): WordKind | undefined {
  // Runs for every long word, so this cheap check comes before all endings and starts.
  if (HAS_CODE.test(word)) {
    const ending = vocabulary.CODE_ENDINGS.find((known) => word.endsWith(known))
    if (ending) return vocabulary.BEFORE_OTHER_CODE.has(word.slice(0, -ending.length)) ? 'name' : 'code'
    if (vocabulary.CODE_START.test(word)) return 'code'
  }
  if (vocabulary.NAME_ENDING.test(word)) return 'name'
  if (vocabulary.PASSWORD_ENDING.test(word)) return 'password'
  return vocabulary.PROOF.test(word) ? 'proof' : undefined
}
const HAS_CODE = /[ck]o?[oó]a?[dð]/

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

// One lookup per word, because this is the innermost loop of the scorer.
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

// A word of at most this length counts only if the dictionary contains it.
const SHORT_LENGTH_MAX = 5

function findUnspacedWords(text: string): Word[] {
  return [...text.matchAll(vocabulary.UNSPACED_WORDS)].map((match) => {
    const [word, name, code, password, proof] = match
    const kind = name ? 'name' : code ? 'code' : password ? 'password' : proof ? 'proof' : 'other'
    return { kind, start: match.index, end: match.index + word.length }
  })
}

// ASSIGNED, SAID, POINTED_AT and the patterns named `…_BEFORE` look back from the number: see `matchesAt`.

/** "#123456" */
export const HASH_BEFORE = /(?<=#\s?)/y

/** Words of offers. Next to them, a code is a voucher. */
export const OFFER_WORDS = new RegExp(
  [
    '%|(?<![a-z])(?:off|promo|discount|coupon|checkout|voucher|shipping|sale|save|deals?|offers?|rabatt|gutschein|spar(?:en|st|t)|soldes|offerts?|achat',
    'réduction|remise|descuento|cupón|rebajas|oferta|desconto|cupom|promoção|sconto|saldi|korting|tilbud|alennus|popust|diskon|hemat)(?![a-zà-ÿ])',
    'zniżk|rabat|zľav|nuolaid|atlaid|soodus|descompte|afslátt|giảm giá|khuyến mãi|έκπτωσ|εκπτωτικ|промокод|отстъпк|छूट|скидк|знижк|indirim|slev[ay]|kedvezmény|reducere|割引|クーポン|优惠|優惠|折扣|할인|ส่วนลด|خصم|تخفیف|הנחה',
  ].join('|'),
)

const CURRENCY =
  'usd|eur|gbp|chf|pln|rub|uah|jpy|krw|cny|inr|brl|cad|aud|sek|nok|dkk|kr|zł|tl|kč|ft|lei|rp|руб|грн|euros?|dollars?'
const COUNTED =
  'seconds?|minutes?|mins?|minuten|hours?|stunden|days?|tage|weeks?|months?|years?|points?|punkte|credits?|users?|accounts?|items?|people|members|subscribers|customers|readers|words|lines|files|commits|downloads|views|visits|requests|followers|results|characters|times|miles|steps|tokens|codes|px|kb|mb|gb|km|kg|kwh|kcal|ms|s|secs?'

/** Directly after a number they make it an amount, a quantity ("482913 lines of code") or a percentage. */
export const UNIT_BEHIND = new RegExp(
  `^ ?(?:[$€£¥₹₽₺₴₩%円元원]|(?:${CURRENCY}|${COUNTED}|of (?:the|your|our|all)|(?!instead|because)[a-z]+ of)(?![a-z]))`,
)
export const CURRENCY_BEFORE = new RegExp(`(?<=(?:[$€£¥₹₽₺₴₩]|(?<![a-z])(?:${CURRENCY})) ?)`, 'y')

/** A number followed by one of these is a duration. */
export const DURATION = '\\d{1,3} ?(?:min|sec|hour|stunde|dakika|мин|хв|分|秒|小时|時間|분|시간)'

const IS =
  'is|ist|lautet|lauten|est|es|é|è|és|jest|to|är|er|je|este|là|adalah|ialah|ay|ni|yra|ir|είναι|е|це|הוא|היא|هو|هي|است'
// "On" is Finnish and Estonian for "is", but not after an English word.
const IS_BEHIND_WORD = `(?<![a-zà-ÿ])(?:${IS})|(?:salasana|koodi|kood|parool|salasõna)[a-z]{0,3} on|是|为|為|は|는|은|คือ`
// Punctuation between the words and the code: "is **", ": “".
const OPENED = '\\s*["\'“„«*_[(「【]*\\s*'
const CLOSED = '["\'”»*_\\])】」]*\\s?'

/** "Code: 123456", "your code is 123456" in the languages of the vocabulary. */
export const ASSIGNED = new RegExp(`(?<=(?:[:：=–—-]|${IS_BEHIND_WORD})${OPENED})`, 'y')
/** The same without punctuation, which also separates unrelated parts. */
export const SAID = new RegExp(`(?<=(?:${IS_BEHIND_WORD})[:：]?${OPENED})`, 'y')
// In a language without "is", the ending of the word means "your": "123456 Heron giriş kodunuz".
const YOURS =
  '(?:[^\\s.:]+ ){0,4}(?:kodunuz|kodun|şifreniz|parolanız|[^\\s.:]*k[oó]d(?:od|ja)|jelszavad|[^\\s.:]*koodisi)(?![a-zà-ÿ])|(?:کد|رمز) '
/** "123456 is your code", "use 123456 as your password" */
export const SAID_BEHIND = new RegExp(
  `^${CLOSED}(?:[–—(-]|(?:${IS}|as|als|como|come|comme|jako|som|on|la|как|як|olarak|आपका|आपकी)(?![a-zà-ÿ])|[是为為がは은는이]|คือ|${YOURS})`,
)
/** The same for letters, which may also be a name: "KQZWBF is your code". */
export const LETTERS_SAID_BEHIND = new RegExp(
  `^${CLOSED}(?:(?:${IS}|on) (?:your|the|deine?|ihre?|eure?|der|votre|ton|le|tu|su|el|o|il|la|je|jouw|uw|de|twój|váš|tvůj|vaš|tvoj|din|ditt|az?|ваш|твой|твій|вашият|твоят|ο|το|mã|kode|codul|קוד|رمز)(?![a-zà-ÿ])|— ваш|आपका|(?:是您|是你|为您|為您|が|คือ|은|는)|${YOURS})`,
)

/** "Use 123456 to sign in" */
export function isToldToUse(before: string): boolean {
  let end = before.length
  while (end > 0 && ' \n:"\'“*_'.includes(before.charAt(end - 1))) end--
  const start = Math.max(before.lastIndexOf(' ', end - 1), before.lastIndexOf('\n', end - 1)) + 1
  const word = before.slice(start, end)
  if (vocabulary.USE.has(word) || (word.charCodeAt(0) > LATIN_END && UNSPACED_USE.test(word))) return true
  // "Verwenden Sie 123456", "usa el 123456", "geben Sie bitte 123456 ein"
  if (!vocabulary.BEHIND_USE.has(word)) return false
  const between = before.slice(0, Math.max(0, start - 1))
  const previous = between.slice(between.lastIndexOf(' ') + 1)
  if (!vocabulary.BEHIND_USE.has(previous)) return vocabulary.USE.has(previous)
  const lead = between.slice(0, -previous.length).trimEnd()
  return vocabulary.USE.has(lead.slice(lead.lastIndexOf(' ') + 1))
}
const LATIN_END = 0x24f
const UNSPACED_USE = /(?:ใช้|使用|输入|輸入|^ב־?)$/

/** The same in languages in which the verb comes last: "123456를 사용하여 로그인". */
export const USED_BEHIND =
  /^["'”*_]*\s?(?:[을를]\s?(?:사용|입력)|[をで]\s?(?:使|入力)|(?:kodunu )?(?:kullan|gir(?![a-zà-ÿ]|iş))|пайдалан|का (?:उपयोग|इस्तेमाल)|ব্যবহার)/

/** "The card ending in 4417": the end of a masked number. */
export const ENDING_BEFORE =
  /(?<=(?:(?:ending|ends) (?:in|with)|endet auf|mit der endziffer|se terminant par|terminad[oa] en|termina en|terminad[oa] em|尾号|尾號|末尾)\s*)/y

/** "Here it is: 123456", in the sentence after the one that mentions a code. */
export const POINTED_AT =
  /(?<=(?<![a-zà-ÿ])(?:it['’]?s|it is|here it is|here you go|hier ist er|er lautet|le voici|c['’]est|aquí está|es este|eccolo|hier is hij)\s*:?\s*)/y

/** States and other words in the position of a code: "Your code: EXPIRED". */
export const NEVER_A_CODE =
  /^(?:NONE|NULL|HERE|BELOW|ABOVE|EXPIRED|INVALID|REQUIRED|UNKNOWN|PENDING|ACTIVE|INACTIVE|VALID|SENT|USED|READY|EMAIL|PHONE|MOBILE|NOTE|IMPORTANT|WARNING|PLEASE|CONFIRMED|CHANGED|ENABLED|DISABLED|SUCCESS|FAILED|ERROR)$/

/** Between the word and a number they describe a change of the code, and the number is another one. */
export const CHANGED =
  /(?<![a-z])(?:changed|updated|reset|expired|disabled|enabled|removed|not required|turned (?:on|off)|geändert|zurückgesetzt|modifiée?|changée?|cambi(?:ado|ada|ato|ata|ó)|alterad[oa]|gewijzigd|ändrats|ændret|endret|vaihdettu|zmienion[oy]|změněno|megváltozott|schimbat[ăa]|değiştirildi)(?![a-zà-ÿ])|изменен|змінено|сменен|αλλαγή|άλλαξε|変更されました|変更しました|已修改|已更改|已變更|변경되었|변경했/

/** "At 0931" */
export const TIME_BEFORE = /(?<=(?<![a-zà-ÿ])(?:at|from|until|um|ab|bis|à|alle|às|las|kl\.?|om)\s)/y

/** "… 123456 to confirm", "… 123456, um sich anzumelden": the purpose of the code. */
export const PURPOSE_BEHIND =
  /^[^.!?\n]{0,30}(?<![a-zà-ÿ])(?:to|um|pour|para|per|om|för att|for å|for at|aby|żeby|pentru|untuk|để|чтобы|щоб|за да)(?![a-zà-ÿ])/

/** The name of a mail header at the start of a line. */
export const HEADER_LINE =
  /^[>\s]*(?:x-[\w-]+|message-id|received|return-path|in-reply-to|references|dkim-[\w-]+|arc-[\w-]+|content-[\w-]+|feedback-id|list-[\w-]+|source|date):/
