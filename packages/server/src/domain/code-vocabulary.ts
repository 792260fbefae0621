import type { WordKind } from './code-words.ts'

// The words of the code scorer, lower-case.

function list(words: string): string[] {
  return words.trim().split(/\s+/)
}

export const CODE = list(`
  code codes passcode passcodes otp pin tan mtan token tokens 2fa mfa
  einmalpasswort einmalkennwort codice codici monouso código códigos codigo codigos clave eenmalig cod codul codului
  kod kode koden kód kódja kódod kódot koodi kodu kodem kodun kodunu kodunuz kodunuzu şifre şifreni şifreniz kullanımlık
  jednorazowe jednorazowy jednorázové jednorázový egyszeri engångslösenord engangspassord kertakäyttöinen
  koda kodo kôd kods kodas kodą kood kóði codi kodi mã
  код кода кодом коду коды коди кодът пин пін одноразовый одноразовий
  κωδικός κωδικό κωδικού κωδικος κωδικο
  კოდი კოდია კոդ কোড קוד הקוד קודך رمز الرمز كود الكود کد کدی कोड ओटीपी
`)

/** At the end of a compound: Sicherheitscode, engångskod, vahvistuskoodisi. */
export const CODE_ENDINGS = list(
  'code kode koden kod koodi koodin koodisi koodia kood kód kódja kódod kódot kóði kóðinn',
)
/** At its start, where the language adds to the end. */
export const CODE_START = /^(?:kodunuz|koodi)/

const ONE_TIME = [
  'one time',
  'single use',
  'two factor',
  'two step',
  'usage unique',
  'solo uso',
  'uso único',
  'utilisation unique',
  'utilização única',
  'unică folosință',
  'egyszer használatos',
  'لمرة واحدة',
  'חד פעמית',
  'החד פעמית',
  'חד פעמי',
]
export const PAIRS = new Map<string, WordKind>([
  ...ONE_TIME.map((pair) => [pair, 'code'] as const),
  // How many, not which.
  ...['codes sent', 'codes used', 'codes issued'].map((pair) => [pair, 'name'] as const),
  ['sign in', 'proof'],
  ['log in', 'proof'],
])

export const PROOF = new RegExp(
  [
    '^(?:verif|authenti|authori[sz]|approv|confirm|signin|bestätig|anmeld|anzumeld|freigabe|vérifi|connexion|acces',
    'potwierdz|weryfik|doğrula|bekræft|bekreft|bekräft|vahvist|ověř|over[oi]|megerős|επαλήθ|підтвердж|подтвержд|потвър)',
  ].join('|'),
)

/** "Promo code", "zip code": not the codes we look for. */
export const BEFORE_OTHER_CODE = new Set(
  list(`
  zip post postal area country dial promo promotional discount coupon voucher gift referral bar qr source error
  status exit product item order booking reservation tracking tax dress swift sort bank stock store course color colour
  result civil penal criminal
  gutschein rabatt aktions fehler kunden quell strich kortings indirim posta штрих
  rabat käll kilde kildes streck streg strek fel fejl feil alennus viiva lähde virhe slevový zľavový poštovní kupon पिन
`),
)
export const AFTER_OTHER_CODE = list(`
  promo postal postale réduction conduct review freeze coverage execution conference promocional descuento desconto barras
  route civil civile pénal penal sconto fiscale pocztowy rabatowy товара товару poștal promoțional pos diskon đơn giảm bưu البريدي پستی
`)
/** "Code de la route", "code of conduct" */
export const BETWEEN = list('de of la du di do da')

export const NAME = list('decode encode unicode промокод промокода промокоду')
export const NAME_ENDING = /(?:nummer|nr|numero|szám)$/
export const NUMBER = list(`
  number no nr n id nummer numéro número numero numer numarası număr numărul číslo broj nomor номер αριθμός رقم شماره מספר
  नंबर
`)
/** With "number" behind they name one; alone they say nothing. */
export const NUMBERED = new Set(list('confirmation registration member phone card token device user session meeting'))

export const OTHER = list(`
  order purchase invoice receipt ticket case issue bug defect tracking shipment parcel reference ref booking reservation customer
  account policy contract serial model build version release commit job article sku vat iban request transaction flight
  line zeile ligne línea section suite box room apartment raum salle floor device street avenue road blvd str straße plz rue calle via
  amount total subtotal price balance paid payment betrag preis summe gesamt montant importe valor importo bedrag kwota
  tutar bestellung rechnung auftrag commande facture pedido factura fatura ordine fattura bestelling factuur zamówienie
  zamówienia faktura faktury sipariş заказ заказа замовлення счет рахунок
  beställning ordre tilaus summa objednávka objednávky narudžba narudžbe comanda comenzii rendelés pesanan παραγγελία
  παραγγελίας поръчка поръчката الطلب طلبك المبلغ سفارش הזמנה ההזמנה סכום ऑर्डर राशि
  phone tel fax call hotline whatsapp ending copyright since until expires ©
`)

/** Scripts that write without spaces, so their words are looked for inside of others. */
export const UNSPACED = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/
/** The groups are the kinds: name, code, proof, other. */
export const UNSPACED_WORDS = new RegExp(
  [
    '(バーコード|クーポンコード|郵便番号|注文番号|会員番号|바코드|쿠폰 ?코드|우편번호|주문 ?번호|订单号?|訂單|单号|單號|邮编|优惠[码券]|รหัสไปรษณีย์|คำสั่งซื้อ)',
    '((?:验证|驗證|校验|校驗|动态|動態|确认|確認|认证|認證|安全|激活|登录|登入|授权|授權|取件|提取|核验|识别)[码碼]|(?:动态|動態|一次性)[密口][码碼令]|コード|ワンタイムパスワード|(?:認証|確認|暗証)番号|코드|(?:인증|확인) ?번호|일회용 ?비밀번호|รหัส)',
    '(验证|驗證|登录|認証|인증|ยืนยัน)',
    '(合計|金额|金額|总计|금액|ยอดรวม)',
  ].join('|'),
  'g',
)
