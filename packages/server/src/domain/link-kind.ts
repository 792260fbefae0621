import type { LinkKind } from '@mailhatch/sdk'

// The rest of a longer URL is a token, not words.
const URL_WORDS_LENGTH_MAX = 2048

/** What a link is for, judged by its text or else by the words in its URL. */
export function linkKind(url: string, text: string): LinkKind {
  const textKind = kindOfWords(text.toLowerCase())
  if (textKind !== 'sign in' && textKind !== 'other') return textKind
  const address = url.slice(0, URL_WORDS_LENGTH_MAX).replace(SCHEME_AND_HOST, '').toLowerCase()
  // Every site links to its sign-in page. Only a link with a token signs the user in.
  const hasToken = TOKEN.test(address)
  if (textKind === 'sign in' && hasToken) return 'magic'
  const kind = kindOfWords(address)
  return kind === 'sign in' ? (hasToken ? 'magic' : 'other') : kind
}

// A host such as login.acme.test or confirm.io says nothing about the page.
const SCHEME_AND_HOST = /^https?:\/\/[^/?#]*/i

function kindOfWords(words: string): LinkKind | 'sign in' {
  if (UNSUBSCRIBE.test(words)) return 'unsubscribe'
  if (MAGIC.test(words)) return 'magic'
  if (RESET.test(words)) return 'reset'
  if (VERIFY.test(words)) return 'verify'
  return SIGN_IN.test(words) ? 'sign in' : 'other'
}

const UNSUBSCRIBE = any(
  'unsub(?:scribe)?(?![a-z])|unsubscri|opt[-_ ]?out|preferences|manage (?:your )?(?:subscription|notification)|email settings',
  'abbestell|abmelden|desabon|désabonn|désinscri|desinscri|darse de baja|cancelar (?:la |a )?(?:suscripci|inscri|assinatura)',
  'descadastr|disiscriv|cancella (?:l.)?iscrizione|uitschrijv|afmelden|wypisz|zrezygnuj|aboneli[kğ]',
  'отписа|відписа|退订|退訂|取消订阅|配信停止|購読解除|수신 ?거부|구독 ?취소',
)
const MAGIC = any('magic|passwordless|one[-_ ]?time[-_ ]?(?:link|login)|einmal-?link|lien magique')
const RESET = any(
  'reset|recover|forg[oe]t|passwor[dt]|passwd|kennwort|zurücksetz|mot de passe|réinitialis|contraseña|restablec|senha|redefin',
  'reimpost|wachtwoord|herstel|hasł[oa]|şifre|parola|сброс|парол|скин|密码|密碼|重置|重設|パスワード|비밀번호|재설정',
)
const VERIFY = any(
  'verif|confirm|activat|validat|bestätig|bestaetig|aktivier|vérifi|activer|valider|activar|ativar|conferma|attiva|bevestig',
  'activeer|potwierd|zweryfik|aktywuj|doğrula|onayla|etkinleştir|подтверд|активир|підтверд|активув|验证|驗證|激活|確認|认证|認証|인증|활성화|확인',
)
const SIGN_IN = any(
  'sign[-_ ]?in(?![a-z])|log[-_ ]?in(?![a-z])|(?<![a-z])auth(?![a-z])|callback|(?<![a-z])session|anmeld|einlogg|connexion|connecter|iniciar sesi|acceder|entrar|accedi',
  'inlogg|zaloguj|giriş|войти|вход|увійти|登录|登入|ログイン|로그인',
)
const TOKEN = /[?&#/](?:token|otp|code|key|ticket|hash|t|k)[=/]|[/=][\w~.-]{20,}/

function any(...words: string[]): RegExp {
  return new RegExp(words.join('|'))
}
