import type { StoredMail, Unreadable } from './stored-mail.ts'

/** More would be no envelope that MailHog has written. */
const ENVELOPE_BYTES_MAX = 1024 * 1024
const END = '\r\n\r\n'

/** MailHog writes the envelope before the mail: `HELO:<…>`, `FROM:<…>`, a `TO:<…>` for each recipient, and an empty line. */
export function readMailHogFile(path: string, file: Buffer): StoredMail | Unreadable {
  const bytes = file.byteLength
  const end = file.subarray(0, ENVELOPE_BYTES_MAX).indexOf(END)
  const [hello = '', sender = '', ...recipients] = file.toString('utf8', 0, Math.max(0, end)).split('\r\n')
  const from = valueOf('FROM', sender)
  const to = recipients.map((line) => valueOf('TO', line))
  if (valueOf('HELO', hello) === null || from === null || to.includes(null)) {
    return { path, bytes, problem: 'not a mail of MailHog: it does not start with an envelope (HELO, FROM, TO)' }
  }
  const raw = file.subarray(end + END.length)
  return { path, raw, bytes, from, to: to.filter((address) => address !== null), id: null }
}

function valueOf(name: string, line: string): string | null {
  return line.startsWith(`${name}:<`) && line.endsWith('>') ? line.slice(name.length + 2, -1) : null
}
