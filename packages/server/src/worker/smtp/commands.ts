import type { Offer } from './extensions.ts'
import type { Limits } from './limits.ts'
import { ADDRESS_NEEDS_UTF8, BAD_ARGUMENTS, BAD_PARAMETER, BAD_SENDER, UNKNOWN_PARAMETER } from './replies.ts'

export type Command = { verb: string; argument: string }
export type MailCommand = { mailFrom: string; declaredBytes: number; isBinary: boolean }
export type SenderAddressLimits = Pick<Limits, 'senderLocalPartBytesMax' | 'senderDomainBytesMax'>
type Refused = { refusal: string }

export function parseCommand(line: string): Command {
  const space = line.indexOf(' ')
  if (space === -1) return { verb: line.toUpperCase(), argument: '' }
  return { verb: line.slice(0, space).toUpperCase(), argument: line.slice(space + 1).trim() }
}

/** `FROM:<address> [parameters]`, RFC 5321 (4.1.1.2). */
export function parseMail(argument: string, limits: SenderAddressLimits, offer: Offer): MailCommand | Refused {
  const path = parsePath(argument, 'FROM:')
  if (!path) return { refusal: BAD_ARGUMENTS }
  if (!isAcceptableSender(path.address, limits)) return { refusal: BAD_SENDER }
  if (needsUtf8(path.address, offer)) return { refusal: ADDRESS_NEEDS_UTF8 }
  const mail: MailCommand = { mailFrom: path.address, declaredBytes: 0, isBinary: false }
  if (path.parameters === '') return mail
  for (const parameter of path.parameters.split(/ +/)) {
    const refusal = applyMailParameter(mail, parameter, offer)
    if (refusal) return { refusal }
  }
  return mail
}

/** `TO:<address>`, RFC 5321 (4.1.1.3). Parameters are refused, because the server announces none. */
export function parseRcpt(argument: string, offer: Offer): { address: string } | Refused {
  const path = parsePath(argument, 'TO:')
  if (!path) return { refusal: BAD_ARGUMENTS }
  if (needsUtf8(path.address, offer)) return { refusal: ADDRESS_NEEDS_UTF8 }
  return path.parameters === '' ? { address: path.address } : { refusal: UNKNOWN_PARAMETER }
}

/** `<size> [LAST]`, RFC 3030 (2). */
export function parseBdat(argument: string): { chunkBytes: number; isLast: boolean } | null {
  // Fifteen digits exceed every size limit and are still exact as a number.
  const match = /^(\d{1,15})( +LAST)?$/i.exec(argument)
  return match && { chunkBytes: Number(match[1]), isLast: match[2] !== undefined }
}

function parsePath(argument: string, keyword: 'FROM:' | 'TO:'): { address: string; parameters: string } | null {
  if (argument.slice(0, keyword.length).toUpperCase() !== keyword) return null
  // "FROM: <a@b>" and "FROM:a@b" violate the grammar but are common in hand-written clients.
  const text = argument.slice(keyword.length).trimStart()
  const isBracketed = text.startsWith('<')
  const end = isBracketed ? endOfPath(text) : endOfWord(text)
  if (end === -1) return null
  const address = text.slice(isBracketed ? 1 : 0, end)
  const after = isBracketed ? end + 1 : end
  if (after < text.length && text[after] !== ' ') return null
  return { address: withoutRoute(address), parameters: text.slice(after).trim() }
}

function endOfWord(text: string): number {
  if (text === '' || text.includes('<') || text.includes('>')) return -1
  const space = text.indexOf(' ')
  return space === -1 ? text.length : space
}

/** Index of the `>` that closes the path. A `>` in a quoted local part does not. */
function endOfPath(text: string): number {
  const end = text.indexOf('>')
  const quote = text.indexOf('"')
  if (quote === -1 || quote > end)
    return text.lastIndexOf('<', end) === 0 && !text.slice(0, end).includes(' ') ? end : -1
  let isQuoted = false
  for (let at = 1; at < text.length; at++) {
    const character = text[at]
    if (character === '\\' && isQuoted) at++
    else if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '>') return at
    else if (character === '<' || character === ' ') return -1
  }
  return -1
}

/** RFC 5321 (Appendix C): servers ignore the obsolete source route `@relay,@relay:`. */
function withoutRoute(address: string): string {
  return address.startsWith('@') ? address.slice(address.indexOf(':') + 1) : address
}

/** The return path is only stored and shown, so a name without a domain is accepted: cron jobs send those. */
function isAcceptableSender(address: string, limits: SenderAddressLimits): boolean {
  const at = address.lastIndexOf('@')
  const local = at === -1 ? address : address.slice(0, at)
  const domain = at === -1 ? '' : address.slice(at + 1)
  if (address !== '' && local === '') return false
  return (
    Buffer.byteLength(local) <= limits.senderLocalPartBytesMax &&
    Buffer.byteLength(domain) <= limits.senderDomainBytesMax
  )
}

/** If the extension is announced, such addresses are accepted also without its parameter. */
function needsUtf8(address: string, offer: Offer): boolean {
  return !offer.has('SMTPUTF8') && /[^\0-\x7f]/.test(address)
}

function applyMailParameter(mail: MailCommand, parameter: string, offer: Offer): string | null {
  const equals = parameter.indexOf('=')
  const name = (equals === -1 ? parameter : parameter.slice(0, equals)).toUpperCase()
  const value = equals === -1 ? '' : parameter.slice(equals + 1)
  // All parameters but BODY have the name of their extension.
  const extension = name !== 'BODY' ? name : /^BINARYMIME$/i.test(value) ? 'BINARYMIME' : '8BITMIME'
  if (!(offer as ReadonlySet<string>).has(extension)) return UNKNOWN_PARAMETER
  switch (name) {
    case 'SIZE':
      // RFC 1870 allows 20 digits. A number too large to be exact is over any limit anyway.
      if (!/^\d{1,20}$/.test(value)) return BAD_PARAMETER
      mail.declaredBytes = Number(value)
      return null
    case 'BODY':
      mail.isBinary = value.toUpperCase() === 'BINARYMIME'
      return /^(7BIT|8BITMIME|BINARYMIME)$/i.test(value) ? null : BAD_PARAMETER
    case 'SMTPUTF8':
      return equals === -1 ? null : BAD_PARAMETER
    case 'AUTH':
      return value === '' ? BAD_PARAMETER : null
    default:
      return UNKNOWN_PARAMETER
  }
}
