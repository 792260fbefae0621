import type { SeededRandom } from '../support/seeded-random.ts'

type Script = { words: string[]; charsets: Charset[] }

/** A charset and its spellings in mail. */
export type Charset = { name: string; labels: string[] }

const UTF8: Charset = { name: 'utf-8', labels: ['utf-8', 'UTF-8', 'Utf-8', 'utf8', 'UTF8'] }
const WESTERN: Charset[] = [
  { name: 'windows-1252', labels: ['iso-8859-1', 'ISO-8859-1', 'latin1', 'windows-1252', 'CP1252', 'win-1252'] },
  { name: 'iso-8859-15', labels: ['iso-8859-15', 'ISO-8859-15', 'latin9', 'iso8859-15'] },
  { name: 'cp437', labels: ['cp437', 'IBM437', '437', 'CP-437', 'dos-437'] },
  { name: 'cp850', labels: ['cp850', 'IBM850', '850', 'cp-850', 'CP850', 'ibm-850'] },
]
const CYRILLIC: Charset[] = [
  {
    name: 'windows-1251',
    labels: ['windows-1251', 'win-1251', 'WIN1251', 'cp1251', 'CP-1251', 'x-cp1251', 'windows1251'],
  },
  { name: 'koi8-r', labels: ['koi8-r', 'KOI8-R', 'koi8r'] },
  { name: 'ibm866', labels: ['cp866', 'IBM866', '866', 'dos-866', 'CP-866', 'ibm-866'] },
  { name: 'iso-8859-5', labels: ['iso-8859-5', 'ISO8859-5'] },
]
const JAPANESE: Charset[] = [
  { name: 'shift_jis', labels: ['shift_jis', 'Shift_JIS', 'SHIFT-JIS', 'x-sjis', 'cp932', 'windows-31j', 'sjis'] },
  { name: 'euc-jp', labels: ['euc-jp', 'EUC-JP', 'x-euc-jp'] },
  { name: 'iso-2022-jp', labels: ['iso-2022-jp', 'ISO-2022-JP', 'Iso-2022-Jp', 'csISO2022JP'] },
]

/** Words in all scripts of account mail, with the charsets that contain them. */
const SCRIPTS: Script[] = [
  {
    words: ['Prüfung', 'schön', 'Café', 'señal', 'très', 'confirmé', 'über', 'Straße', 'déjà', 'niño'],
    charsets: WESTERN,
  },
  { words: ['Код', 'подтверждения', 'Ваш', 'вход', 'пароль', 'для', 'действует'], charsets: CYRILLIC },
  {
    words: ['Žluťoučký', 'kůň', 'ověřovací', 'hasło', 'źródło', 'kód', 'ćma', 'őrült'],
    charsets: [
      { name: 'iso-8859-2', labels: ['iso-8859-2', 'latin2', 'ISO8859-2'] },
      { name: 'windows-1250', labels: ['windows-1250', 'cp1250', 'win-1250'] },
      { name: 'cp852', labels: ['cp852', 'IBM852', '852'] },
    ],
  },
  {
    words: ['Κωδικός', 'επαλήθευσης', 'σύνδεση', 'ώρα'],
    charsets: [
      { name: 'iso-8859-7', labels: ['iso-8859-7', 'greek', 'ISO-8859-7'] },
      { name: 'windows-1253', labels: ['windows-1253', 'cp1253'] },
    ],
  },
  {
    words: ['קוד', 'אימות', 'שלום', 'כניסה'],
    charsets: [
      { name: 'windows-1255', labels: ['windows-1255', 'cp1255'] },
      { name: 'iso-8859-8', labels: ['iso-8859-8-i', 'iso-8859-8', 'hebrew'] },
    ],
  },
  {
    words: ['確認コード', 'ログイン', '認証', 'パスワード', '有効期限', '表示', 'ソフト', 'お知らせ'],
    charsets: JAPANESE,
  },
  {
    words: ['인증번호', '확인', '비밀번호', '안내', '회원'],
    charsets: [{ name: 'euc-kr', labels: ['euc-kr', 'EUC-KR', 'ks_c_5601-1987', 'KS_C_5601-1987', 'cp949', 'korean'] }],
  },
  {
    words: ['验证码', '登录', '密码', '有效', '您的'],
    charsets: [{ name: 'gbk', labels: ['gb2312', 'GB2312', 'gbk', 'GB18030', 'cp936'] }],
  },
  {
    words: ['驗證碼', '登入', '密碼', '功能', '許可'],
    charsets: [{ name: 'big5', labels: ['big5', 'Big5', 'BIG5', 'cp950'] }],
  },
  {
    words: ['รหัส', 'ยืนยัน', 'ของคุณ'],
    charsets: [{ name: 'windows-874', labels: ['tis-620', 'TIS-620', 'windows-874'] }],
  },
]

const ASCII = ['Acme', '482913', 'OTP', '(x)', 'a=b', 'one_two', 'why?', '5,00']

export type Sample = { text: string; charset: Charset; label: string }

/** Words of one script with some ASCII between them, in a charset that contains them. */
export function sample(random: SeededRandom, isWanted: (charset: Charset) => boolean = () => true): Sample {
  for (;;) {
    const script = random.pick(SCRIPTS)
    const charset = random.pick([UTF8, ...script.charsets])
    if (!isWanted(charset)) continue
    return { text: textOf(random, script.words), charset, label: random.pick(charset.labels) }
  }
}

export const japanese = (random: SeededRandom): string =>
  textOf(random, SCRIPTS.find(({ charsets }) => charsets === JAPANESE)!.words)

/** Words of any script, for charsets that contain all of them. */
export function anyText(random: SeededRandom): string {
  return textOf(random, [...random.pick(SCRIPTS).words, ...random.pick(SCRIPTS).words, '🎉'])
}

function textOf(random: SeededRandom, words: string[]): string {
  const count = 1 + random.below(6)
  const chosen = Array.from({ length: count }, () => random.pick(random.chance(0.25) ? ASCII : words))
  return [random.pick(words), ...chosen].join(' ')
}
