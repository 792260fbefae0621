// The vocabulary of the code scorer. Everything here is matched against lower-cased text.

/**
 * What a word says about a number beside it. `code` names a one-time code; `proof` speaks of proving who one is, as links
 * do too; `name` names another number outright; `other` often does, but also stands in "the code to confirm your order".
 */
export type WordKind = 'code' | 'proof' | 'name' | 'other'
export type Word = { kind: WordKind; start: number; end: number }

/** The telling words of a text in their order. */
export function findWords(text: string): Word[] {
  const found: Word[] = EAST_ASIAN.test(text) ? findEastAsianWords(text) : []
  let previous = ''
  LETTERS.lastIndex = 0
  for (let match = LETTERS.exec(text); match; match = LETTERS.exec(text)) {
    const [word] = match
    const kind = kindOf(word, previous)
    if (kind) found.push({ kind, start: match.index, end: match.index + word.length })
    if (word !== 'de' && word !== 'of') previous = word
  }
  return found
}

const LETTERS = /[a-z0-9\u00c0-\u024f\u0400-\u04ff]+|©/g

function kindOf(word: string, previous: string): WordKind | undefined {
  const entry = DICTIONARY.get(word)
  switch (entry) {
    case undefined:
      return word.length > 5 ? kindOfStem(word) : undefined
    case 'code':
      return BEFORE_OTHER_CODE.has(previous) ? 'name' : 'code'
    case 'number':
      return NUMBERED.has(previous) || DICTIONARY.get(previous) === 'other' ? 'name' : undefined
    case 'after other code':
      // "Code promo", "code of conduct": the word before was no code after all.
      return DICTIONARY.get(previous) === 'code' ? 'name' : undefined
    case 'end of pair':
      return PAIRS.get(`${previous} ${word}`)
    default:
      return entry
  }
}

function kindOfStem(word: string): WordKind | undefined {
  // Compounds: Sicherheitscode and toegangscode, but also Bestellnummer.
  if (word.endsWith('code')) return BEFORE_OTHER_CODE.has(word.slice(0, -4)) ? 'name' : 'code'
  if (word.endsWith('nummer') || word.endsWith('nr')) return 'name'
  return PROOF.test(word) ? 'proof' : undefined
}

function list(words: string): string[] {
  return words.trim().split(/\s+/)
}

const CODE = list(`
  code codes passcode passcodes otp pin tan mtan token tokens 2fa mfa
  einmalpasswort einmalkennwort codice codici monouso código códigos codigo codigos clave eenmalig
  kod kode kód kodu kodem kodun kodunu kodunuz kodunuzu şifre şifreni şifreniz kullanımlık jednorazowe jednorazowy
  код кода кодом коду коды коди пин пін одноразовый одноразовий
`)
const PAIRS = new Map<string, WordKind>([
  ...['one time', 'single use', 'two factor', 'two step', 'usage unique', 'solo uso', 'uso único'].map(
    (pair) => [pair, 'code'] as const,
  ),
  ['sign in', 'proof'],
  ['log in', 'proof'],
])

const PROOF =
  /^(?:verif|authenti|confirm|signin|bestätig|anmeld|anzumeld|vérifi|connexion|acces|potwierdz|weryfik|doğrula|подтвержд|підтвердж)/

/** "Promo code", "zip code": not the codes we look for. */
const BEFORE_OTHER_CODE = new Set(
  list(`
  zip post postal area country dial promo promotional discount coupon voucher gift referral bar qr source error
  status exit product item order booking reservation tracking tax dress swift sort bank stock store course color colour
  gutschein rabatt aktions fehler kunden kortings indirim posta штрих
`),
)
const AFTER_OTHER_CODE = list(`
  promo postal postale réduction conduct review freeze coverage execution conference promocional descuento desconto barras
  sconto fiscale pocztowy rabatowy товара товару
`)

const NAME = list('decode encode unicode промокод промокода промокоду')
const NUMBER = list('number no nr id nummer numéro número numero numer')
/** With "number" behind they name one; alone they say nothing. */
const NUMBERED = new Set(list('confirmation registration member phone card token device user session meeting'))

const OTHER = list(`
  order purchase invoice receipt ticket case issue tracking shipment parcel reference ref booking reservation customer
  account policy contract serial model build version release commit job article sku vat iban request transaction flight
  suite box room floor device street avenue road blvd str straße plz rue calle via
  amount total subtotal price balance paid payment betrag preis summe gesamt montant importe valor importo bedrag kwota
  tutar bestellung rechnung auftrag commande facture pedido factura fatura ordine fattura bestelling factuur zamówienie
  zamówienia faktura faktury sipariş заказ заказа замовлення счет рахунок
  phone tel fax call hotline whatsapp ending copyright since until expires ©
`)

type Entry = WordKind | 'number' | 'after other code' | 'end of pair'

// One look-up for each word: it is the scorer's innermost loop.
const DICTIONARY = new Map<string, Entry>([
  ...[...PAIRS.keys()].map((pair): [string, Entry] => [pair.slice(pair.indexOf(' ') + 1), 'end of pair']),
  ...AFTER_OTHER_CODE.map((word): [string, Entry] => [word, 'after other code']),
  ...NUMBER.map((word): [string, Entry] => [word, 'number']),
  ...OTHER.map((word): [string, Entry] => [word, 'other']),
  ...NAME.map((word): [string, Entry] => [word, 'name']),
  ['login', 'proof'],
  ...CODE.map((word): [string, Entry] => [word, 'code']),
])

const EAST_ASIAN = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/
/** These scripts write without spaces, so their words are looked for inside of others. The groups are the kinds. */
const EAST_ASIAN_WORDS = new RegExp(
  [
    '(バーコード|クーポンコード|郵便番号|注文番号|바코드|쿠폰 ?코드|우편번호|주문 ?번호|订单号?|訂單|邮编|优惠[码券])',
    '((?:验证|驗證|校验|校驗|动态|動態|确认|確認|认证|認證|安全|激活|登录|登入)[码碼]|(?:动态|動態|一次性)[密口][码碼令]|コード|ワンタイムパスワード|(?:認証|確認|暗証)番号|코드|(?:인증|확인) ?번호|일회용 ?비밀번호)',
    '(验证|驗證|登录|認証|인증)',
    '(合計|金额|金額|总计|금액)',
  ].join('|'),
  'g',
)

function findEastAsianWords(text: string): Word[] {
  return [...text.matchAll(EAST_ASIAN_WORDS)].map((match) => {
    const [word, name, code, proof] = match
    const kind = name ? 'name' : code ? 'code' : proof ? 'proof' : 'other'
    return { kind, start: match.index, end: match.index + word.length }
  })
}

/** Words of offers: what looks like a code beside them is a voucher. */
export const OFFER_WORDS =
  /%|(?<![a-z])(?:off|discount|coupon|checkout|voucher|rabatt|gutschein|descuento|sconto)(?![a-z])/

const CURRENCY = 'usd|eur|gbp|chf|pln|rub|uah|jpy|krw|cny|inr|brl|cad|aud|sek|nok|dkk|kr|zł|tl|руб|грн|euros?|dollars?'
const COUNTED =
  'seconds?|minutes?|mins?|minuten|hours?|stunden|days?|tage|weeks?|months?|years?|points?|punkte|credits?|users?|items?|people|members|subscribers|customers|readers|words|lines|files|commits|downloads|views|visits|requests|followers|results|characters|times|miles|steps|px|kb|mb|gb|km|kg|ms'

/** Directly behind a number they make it an amount, a quantity ("482913 lines of code") or a share. */
export const UNIT_BEHIND = new RegExp(
  `^ ?(?:[$€£¥₹₽₺₴₩%円元원]|(?:${CURRENCY}|${COUNTED}|(?!instead|because)[a-z]+ of)(?![a-z]))`,
)
export const CURRENCY_BEFORE = new RegExp(`(?:[$€£¥₹₽₺₴₩]|(?<![a-z])(?:${CURRENCY})) ?$`)

/** A number with one of these behind says how long something is valid. */
export const DURATION = '\\d{1,3} ?(?:min|sec|hour|stunde|dakika|мин|хв|分|秒|小时|時間|분|시간)'

/** "Code: 123456", "your code is 123456" in the languages above. */
export const ASSIGNED =
  /(?:[:：=–—-]|(?<![a-zà-ÿ])(?:is|ist|lautet|est|es|é|è|jest|to)|是|为|為|は|는|은)\s*["'“„«*_[(「【]*\s*$/

/** "Use 123456 to sign in" */
export const TOLD_TO_USE =
  /(?<![a-z])(?:use|enter|type|insert|provide|input|paste|(?:verwenden|nutzen) sie|geben sie|utilisez|saisissez|usa|introduce|insira|inserisci|gebruik|voer|wpisz|użyj|введите|введіть)\s*["'“*_]*$/

/** The name of a mail header at the start of a line. */
export const HEADER_LINE =
  /^[>\s]*(?:x-[\w-]+|message-id|received|return-path|in-reply-to|references|dkim-[\w-]+|arc-[\w-]+|content-[\w-]+|feedback-id|list-[\w-]+|source|date):/
