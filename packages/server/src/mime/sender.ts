import type { Header } from '@mailhatch/sdk'
import { addressParser, decodeWords } from 'postal-mime'
import { cleanText, findHeader, type RawHeader } from './headers.ts'
import { SENDER_CHARS_MAX } from './limits.ts'

export type Sender = { from: string; fromName: string | null; isPartial: boolean }

type Mailbox = { address: string; name: string }

/** The first address of From, else of Reply-To; without either, only the name that From gives. */
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

/** The sender's name in headers as they are displayed: decoded, so that a comma before the address belongs to the name. */
export function senderName(headers: Header[]): string | null {
  const value = findHeader(headers, 'from')?.value ?? ''
  const open = value.indexOf('<')
  const isShort = value.length <= SENDER_CHARS_MAX
  const isOneMailbox =
    isShort && open >= 0 && value.endsWith('>') && value.lastIndexOf('<') === open && value.indexOf('@') > open
  if (!isOneMailbox) return readSender(headers).fromName
  return cleanText(unquote(value.slice(0, open).trim())) || null
}

function firstWithAddress(one: Mailbox, other: Mailbox): Mailbox {
  return one.address ? one : other
}

function readMailbox(field: string): Mailbox {
  const value = cutField(field)
  return readPlainMailbox(value) ?? readAnyMailbox(value)
}

/** Up to where a word ends: half an address is another one. */
function cutField(field: string): string {
  if (field.length <= SENDER_CHARS_MAX) return field
  const cut = field.slice(0, SENDER_CHARS_MAX + 1)
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), cut.lastIndexOf(','), 0))
}

const PLAIN_ADDRESS = /^[^\s"(),:;<>@\\[\]]+@[^\s"(),:;<>@\\[\]]+$/
const PLAIN_NAME = /^(?:[^"(),:;<>@\\[\]]*|"[^"\\]*")$/

/** `a@b`, `Name <a@b>` and `"Name" <a@b>`, which is nearly all mail, without the cost of the full grammar. */
function readPlainMailbox(value: string): Mailbox | null {
  const open = value.indexOf('<')
  if (open < 0) return PLAIN_ADDRESS.test(value) ? { address: value, name: '' } : null
  const name = value.slice(0, open).trim()
  const address = value.slice(open + 1, -1)
  if (!value.endsWith('>') || !PLAIN_ADDRESS.test(address) || !PLAIN_NAME.test(name)) return null
  const unquoted = unquote(name)
  return { address, name: unquoted.includes('=?') ? decodeWords(unquoted) : unquoted }
}

function unquote(name: string): string {
  return /^"[^"\\]*"$/.test(name) ? name.slice(1, -1).trim() : name
}

function readAnyMailbox(value: string): Mailbox {
  const mailboxes = addressParser(value, { flatten: true }).filter((mailbox) => mailbox.group === undefined)
  const found = mailboxes.find(({ address }) => isAddress(address)) ?? mailboxes[0]
  if (!found) return { address: '', name: '' }
  return { address: isAddress(found.address) ? found.address.trim() : '', name: found.name.trim() }
}

function isAddress(text: string): boolean {
  return text !== '' && !/[<>\p{Cc}]/u.test(text)
}
