import type { Email, MessageSummary } from '@mailhatch/sdk'
import { cutText } from '../domain/cut-text.ts'
import { paint } from './color.ts'
import { safeLines, safeText } from './terminal-text.ts'

/** Longer addresses are cut, so that subjects begin at the same place. */
const ADDRESS_WIDTH_MAX = 36
/** Where the terminal does not say. */
const COLUMNS = 120
const LINKS_SHOWN = 10

/** A line a message, in columns. */
export function messageTable(messages: MessageSummary[]): string[] {
  const rows = messages.map(({ id, receivedAt, to, from, subject }) => [
    safeText(id),
    shortTime(receivedAt),
    cut(safeText(to), ADDRESS_WIDTH_MAX),
    cut(safeText(from), ADDRESS_WIDTH_MAX),
    safeText(subject),
  ])
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, index) => Math.max(cell.length, most[index] ?? 0)),
    [],
  )
  return rows.map((row) => fit(row.map((cell, index) => cell.padEnd(index < 4 ? widths[index]! : 0)).join('  ')))
}

/** One message as it comes in. */
export function messageLine({ receivedAt, to, from, subject }: MessageSummary): string {
  const start = [shortTime(receivedAt), safeText(to), paint('dim', safeText(from))].join('  ')
  return `${start}  ${paint('bold', safeText(subject))}`
}

/** A whole message, to be read. */
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
      `${index}: ${filename ?? '(no name)'}, ${contentType}, ${size} bytes`,
    ]),
    ...(codes[0] === undefined ? [] : [['Code', codes[0].value] as [string, string]]),
    ...links.slice(0, LINKS_SHOWN).map(({ url }): [string, string] => ['Link', url]),
  ]
  // A link that is cut is of no use.
  const lines = fields.map(
    ([name, value]) => `${paint('dim', `${name}:`.padEnd(9))} ${safeLines(value.replaceAll(/\s+/g, ' '))}`,
  )
  return [...lines, '', safeLines(email.text)]
}

/** Local time, without the day where it is today. */
function shortTime(iso: string): string {
  const at = new Date(iso)
  const day = at.toLocaleDateString('sv')
  const time = at.toLocaleTimeString('sv')
  return day === new Date().toLocaleDateString('sv') ? time : `${day} ${time}`
}

function fit(line: string): string {
  return cut(line, process.stdout.columns || COLUMNS)
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${cutText(text, length - 1)}…`
}
