import { type Language, LANGUAGES } from './code-languages.ts'

// The words of all languages by meaning, and rules for several languages or for scripts without spaces.

function listOf(key: keyof Language): string[] {
  return Object.values(LANGUAGES).flatMap((language) => language[key]?.trim().split(/\s+/) ?? [])
}

export const CODE = listOf('code')
export const PASSWORD = listOf('password')
export const PROOF = new RegExp(`^(?:${listOf('proof').join('|')})`)
export const NUMBER = listOf('number')
export const OTHER = listOf('other')
export const BEFORE_OTHER_CODE = new Set(listOf('otherCodeBefore'))
export const AFTER_OTHER_CODE = new Set(listOf('otherCodeBehind'))
export const USE = new Set(listOf('use'))
export const BETWEEN = listOf('between')
/** Between a verb of `use` and the code. */
export const BEHIND_USE = new Set('sie the el le den il o το in inn ind bitte please'.split(' '))

/** At the end of a compound: Sicherheitscode, engångskod, vahvistuskoodisi. */
export const CODE_ENDINGS =
  'code koade kode koden kod koodi koodin koodisi koodia kood kód kódja kódod kódot kóði kóðinn'.split(' ')
/** At the start of a word, in languages that add suffixes. */
export const CODE_START = /^(?:kodunuz|koodi)/
/** Compounds such as Einmalpasswort. */
export const PASSWORD_ENDING = /(?:passwor[td]|passord|kennwort|wachtwoord|lösenord|salasana(?:si)?|adgangskode)$/

/** A word before these does not make them another code: "bank code" is another code, but "bank OTP" is not. */
export const ALWAYS_ONE_TIME = new Set('otp otps totp tan mtan 2fa mfa'.split(' '))

/** Words that always name another number. */
export const NAME = 'decode encode unicode промокод промокода промокоду'.split(' ')
export const NAME_ENDING = /(?:nummer|nr|numero|szám)$/
/** Followed by "number" they name another number. Alone they say nothing. */
export const NUMBERED = new Set(
  'confirmation registration member phone card token device user session meeting conference'.split(' '),
)
/** After a word of `other` they name a number: "booking reference". Also with "code": "booking confirmation code". */
export const REFERENCE = new Set('reference ref confirmation'.split(' '))
/** Numbers before these count codes. */
export const COUNTED_CODES = ['codes sent', 'codes used', 'codes issued']
/** Pairs that mean authentication. */
export const PROOF_PAIRS = ['sign in', 'log in']

/** Scripts without spaces, whose words are searched inside longer text. */
export const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/
/** The groups are the kinds: name, code, password, proof, other. */
export const UNSPACED_WORDS = new RegExp(
  [
    // Japanese, Korean, Chinese, Thai
    `((?:バー|クーポン|割引|紹介|エラー|ソース|商品|店舗|国|プロモーション|QR|qr)コード|郵便番号|(?:注文|会員|予約|お客様|顧客|受付|伝票|追跡|電話|請求書?|問い?合わせ|管理)番号
    |(?:바|쿠폰 ?|할인 ?|오류 ?|에러 ?|추천 ?|상품 ?)코드|(?:우편|주문|예약|고객|회원|운송장|송장|접수|전화) ?번호
    |订单(?:编?号)?|訂單(?:編?號)?|[单單][号號]|邮编|郵遞區號|(?:优惠|優惠|折扣|错误|錯誤|条形|條形|二维)[码碼]|优惠券|(?:预订|預訂|客户|客戶|会员|會員|合同|发票|發票)(?:编?号|編?號)
    |รหัสไปรษณีย์|รหัสส่วนลด|รหัสลูกค้า|รหัสการจอง|รหัสอ้างอิง|คำสั่งซื้อ|หมายเลขการจอง)`,
    `((?:验证|驗證|校验|校驗|动态|動態|确认|確認|认证|認證|安全|激活|登录|登入|授权|授權|取件|提取|核验|识别|救援|备用|備用|恢复)[码碼]|(?:动态|動態|一次性)[密口][码碼令]|コード|ワンタイムパスワード|(?:認証|確認|暗証)番号
    |코드|(?:인증|확인|승인) ?번호|일회용 ?비밀번호|รหัส|ລະຫັດ|លេខកូដ|ကုဒ်)`,
    '(パスワード|暗証|비밀번호|密码|密碼|口令)',
    '(验证|驗證|登录|認証|인증|ยืนยัน)',
    '(合計|金额|金額|总计|금액|ยอดรวม)',
  ]
    .join('|')
    .replace(/\n\s*/g, ''),
  'g',
)
