import type { Email, MessageSummary } from '@mailhatch/sdk'
import { cutText } from '../domain/cut-text.ts'
import { paint } from './color.ts'
import { countOf } from './count-of.ts'
import { safeLines, safeText } from './terminal-text.ts'

/** Longer addresses are cut, so that subjects align. */
const ADDRESS_WIDTH_MAX = 32
/** Minimum, however narrow the terminal is. */
const SUBJECT_WIDTH_MIN = 12
/** If the width of the terminal is unknown. */
const COLUMNS = 120
const GAP = '  '
const LINKS_SHOWN = 10

/** One line per message, in columns. The id is not cut, because other commands need it. */
export function messageTable(messages: MessageSummary[], columns = process.stdout.columns || COLUMNS): string[] {
  const rows = messages.map(({ id, receivedAt, to, subject }) => ({
    id: safeText(id),
    time: shortTime(receivedAt),
    to: cut(safeText(to), ADDRESS_WIDTH_MAX),
    subject: safeText(subject),
  }))
  const widthOf = (name: 'id' | 'time' | 'to' | 'subject') => Math.max(...rows.map((row) => row[name].length))
  const [time, to, id] = [widthOf('time'), widthOf('to'), widthOf('id')]
  const left = columns - time - to - id - 3 * GAP.length
  const subject = Math.min(widthOf('subject'), Math.max(left, SUBJECT_WIDTH_MIN))
  return rows.map((row) =>
    [
      row.time.padEnd(time),
      row.to.padEnd(to),
      paint('bold', cut(row.subject, subject).padEnd(subject)),
      paint('dim', row.id),
    ].join(GAP),
  )
}

/** One line for a new message. */
export function messageLine({ receivedAt, to, from, subject }: MessageSummary): string {
  const start = [shortTime(receivedAt), safeText(to), paint('dim', safeText(from))].join('  ')
  return `${start}  ${paint('bold', safeText(subject))}`
}

/** A whole message as text. */
export function messageLines(email: Email): string[] {
  const { fromName, from, to, subject, receivedAt, id, attachments, codes, links } = email
  const fields: [string, string][] = [
    ['From', fromName === null ? from : `${fromName} <${from}>`],
    ['To', to],
    ['Subject', subject],
    ['Date', receivedAt],
    ['Id', id],
    ...attachments.map(({ index, filename, contentType, size }): [string, string] => [
      'Attached',
      `${index}: ${filename ?? '(no name)'}, ${contentType}, ${countOf(size, 'byte')}`,
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

/** Local time, with the date if it is not today. */
function shortTime(iso: string): string {
  const at = new Date(iso)
  const day = at.toLocaleDateString('sv')
  const time = at.toLocaleTimeString('sv')
  return day === new Date().toLocaleDateString('sv') ? time : `${day} ${time}`
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${cutText(text, length - 1)}…`
}
