import type { Email, MessageSummary } from '@mailhatch/sdk'
import { paint } from './color.ts'
import { ageText, clockText, dateText, fullDateText, senderText, sizeText } from './human.ts'
import { cut, longest } from './table.ts'
import { safeLines, safeText } from './terminal-text.ts'

/** Minimum, however narrow the terminal is. */
const WIDTH_MIN = { from: 14, to: 20, subject: 12 }
/** Shares of what date, size and id leave. The subject gets the rest. */
const SHARE = { from: 0.27, to: 0.38 }
/** If the width of the terminal is unknown. */
const COLUMNS = 120
const GAP = '  '
const LINKS_SHOWN = 10

/** One line per message, in columns. The id is not cut, because other commands need it. */
export function messageTable(messages: MessageSummary[], columns = process.stdout.columns || COLUMNS): string[] {
  const rows = messages.map((message) => ({
    date: dateText(message.receivedAt),
    // The name is enough to recognise a sender; mailhatch get shows the address.
    from: safeText(message.fromName?.trim() || message.from),
    to: safeText(message.to),
    subject: safeText(message.subject),
    size: message.size === null ? '' : sizeText(message.size),
    id: safeText(message.id),
  }))
  const widest = (name: keyof (typeof rows)[number]) => longest(rows.map((row) => row[name]))
  const [date, size, id] = [widest('date'), widest('size'), widest('id')]
  const left = columns - date - size - id - 5 * GAP.length
  const from = Math.min(widest('from'), Math.max(WIDTH_MIN.from, Math.floor(left * SHARE.from)))
  const to = Math.min(widest('to'), Math.max(WIDTH_MIN.to, Math.floor(left * SHARE.to)))
  const subject = Math.min(widest('subject'), Math.max(WIDTH_MIN.subject, left - from - to))
  return rows.map((row) =>
    [
      row.date.padEnd(date),
      cut(row.from, from).padEnd(from),
      cut(row.to, to).padEnd(to),
      paint('bold', cut(row.subject, subject).padEnd(subject)),
      row.size.padStart(size),
      paint('dim', row.id),
    ].join(GAP),
  )
}

/** One line for a new message. */
export function messageLine(message: MessageSummary): string {
  const { receivedAt, to, subject } = message
  const start = [clockText(receivedAt), safeText(to), paint('dim', safeText(senderText(message)))].join(GAP)
  return `${start}${GAP}${paint('bold', safeText(subject))}`
}

/** A whole message as text. */
export function messageLines(email: Email): string[] {
  const { to, subject, receivedAt, size, id, attachments, codes, links } = email
  const fields: [string, string][] = [
    ['From', senderText(email)],
    ['To', to],
    ['Subject', subject],
    ['Date', `${fullDateText(receivedAt)} (${ageText(Date.now() - Date.parse(receivedAt))} ago)`],
    ...(size === null ? [] : [['Size', sizeText(size)] as [string, string]]),
    ['Id', id],
    ...attachments.map((attachment): [string, string] => [
      'Attached',
      `${attachment.index}: ${attachment.filename ?? '(no name)'}, ${attachment.contentType}, ${sizeText(attachment.size)}`,
    ]),
    ...(codes[0] === undefined ? [] : [['Code', codes[0].value] as [string, string]]),
    ...links.slice(0, LINKS_SHOWN).map(({ url }): [string, string] => ['Link', url]),
  ]
  // Not cut, because a cut link does not work.
  const lines = fields.map(
    ([name, value]) => `${paint('dim', `${name}:`.padEnd(9))} ${safeLines(value.replaceAll(/\s+/g, ' '))}`,
  )
  return [...lines, '', safeLines(email.text)]
}
