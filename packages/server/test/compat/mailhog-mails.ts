import { numberedRandom } from '../support/seeded-random.ts'
import { comparedMail as ordinaryMail } from './mailpit-mails.ts'

const SEED = 1_025
// We find words in encoded text and MailHog does not, so that there are none that the calls search for.
const ENCODED_SUBJECT = /^(Subject: ).*=\?.*$/m
const ENCODED_WORD = `=?utf-8?b?${Buffer.from('Grüße').toString('base64')}?=`

/** Ordinary mail, and some whose structure MailHog reads in its own way. */
export function comparedMail(number: number): ReturnType<typeof ordinaryMail> {
  const random = numberedRandom(SEED, number)
  const ordinary = ordinaryMail(number)
  const mail = { ...ordinary, raw: ordinary.raw.replace(ENCODED_SUBJECT, `$1${ENCODED_WORD}`) }
  return random.chance(0.6) ? mail : { ...mail, raw: random.pick(ODDITIES)(mail.raw) }
}

const ODDITIES: ((raw: string) => string)[] = [
  // Of several headers with one name, the last counts.
  (raw) => `X-Trace: one\r\nX-Trace: two\r\nReceived: from a by b\r\n${raw}`,
  (raw) => `X-Folded: begin\r\n  middle\r\n\tend\r\n${raw}`,
  (raw) => raw.replace('Content-Type:', 'content-type:'),
  (raw) => raw.replace('Message-ID:', 'X-Former-ID:'),
  (raw) => `X-No-Blank:value\r\nX-Two: a: b\r\n${raw}`,
  (raw) => raw.replace(/boundary="(\w+)"/, 'boundary=$1; charset=utf-8'),
  (raw) => raw.replace(/; boundary="\w+"/, ''),
  // Text before the first part.
  (raw) => raw.replace(/\r\n\r\n--/, '\r\n\r\nThis is a message in parts.\r\n--'),
  (raw) => `${raw}\r\n.\r\n..two dots\r\n\r\n\r\n`,
  (raw) => `X-Bytes: Gr\u00fc\u00dfe \u20ac \u{1f600}\r\n${raw}`,
]
