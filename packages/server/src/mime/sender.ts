import type { Header } from '@mailhatch/sdk'
import { cutText } from '../domain/cut-text.ts'
import { firstMailbox, type ParsedMailbox } from './address.ts'
import { decodeWords } from './encoded-words.ts'
import { cleanText, findHeader, type RawHeader } from './headers.ts'
import { SENDER_CHARS_MAX } from './limits.ts'

export type Sender = { from: string; fromName: string | null; isPartial: boolean }

/** The first address of From, or else of Reply-To. Without either, only the name of From. */
export function readSender(headers: RawHeader[]): Sender {
  const from = findHeader(headers, 'from')?.value ?? ''
  const author = readMailbox(from)
  const replyTo = author.address ? '' : (findHeader(headers, 'reply-to')?.value ?? '')
  const mailbox = replyTo ? firstWithAddress(readMailbox(replyTo), author) : author
  return {
    from: cleanText(mailbox.address),
    fromName: cleanText(mailbox.name) || null,
    isPartial: from.length > SENDER_CHARS_MAX || replyTo.length > SENDER_CHARS_MAX,
  }
}

/** The name of the sender in decoded headers, where a comma or a bracket before the address belongs to the name. */
export function senderName(headers: Header[], address: string): string | null {
  const value = findHeader(headers, 'from')?.value ?? ''
  const open = value.lastIndexOf('<')
  const isLast = open >= 0 && value.endsWith('>') && value.slice(open + 1, -1) === address && address !== ''
  const name = value.slice(0, open).trim()
  const isPlain = isLast && name !== address && !/[():;]|>\s*,|^'/.test(name) && !isQuoted(name)
  return isPlain ? cutText(cleanText(name), SENDER_CHARS_MAX) || null : readSender(headers).fromName
}

/** Quotes come in pairs or start a name. Any other quote was encoded. */
function isQuoted(name: string): boolean {
  const quotes = name.split('"').length - 1
  return name.startsWith('"') || (quotes > 0 && quotes % 2 === 0)
}

function firstWithAddress(one: ParsedMailbox, other: ParsedMailbox): ParsedMailbox {
  return one.address ? one : other
}

function readMailbox(field: string): ParsedMailbox {
  const value = cutField(field)
  const { address, name } = readPlainMailbox(value) ?? firstMailbox(value)
  return { address: address || addressAtEnd(field), name: name.includes('=?') ? decodeWords(name).trim() : name }
}

/** The address `<a@b>` at the end of a field whose name exceeds the limit. */
function addressAtEnd(field: string): string {
  if (field.length <= SENDER_CHARS_MAX || !field.endsWith('>')) return ''
  const address = field.slice(field.lastIndexOf('<') + 1, -1)
  return address.length <= SENDER_CHARS_MAX && PLAIN_ADDRESS.test(address) ? address : ''
}

/** Cuts at the end of a word, because half an address would be a different one. */
function cutField(field: string): string {
  if (field.length <= SENDER_CHARS_MAX) return field
  const cut = field.slice(0, SENDER_CHARS_MAX + 1)
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), cut.lastIndexOf(','), 0))
}

const PLAIN_ADDRESS = /^[^\s"(),:;<>@\\[\]]+@[^\s"(),:;<>@\\[\]]+$/
const PLAIN_NAME = /^(?:(?!')[^"(),:;<>@\\[\]]*|"(?!')[^"\\]*")$/

/** A fast path for `a@b`, `Name <a@b>` and `"Name" <a@b>`, which is nearly all mail. */
function readPlainMailbox(value: string): ParsedMailbox | null {
  const open = value.indexOf('<')
  if (open < 0) return PLAIN_ADDRESS.test(value) ? { address: value, name: '' } : null
  const name = value.slice(0, open).trim()
  const address = value.slice(open + 1, -1)
  if (!value.endsWith('>') || !PLAIN_ADDRESS.test(address) || !PLAIN_NAME.test(name)) return null
  return { address, name: name.startsWith('"') ? name.slice(1, -1).trim() : name }
}
