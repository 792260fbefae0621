import { isoTime } from '../../http/present.ts'
import { shownId, type WholeMail } from '../mails.ts'
import { parseContent, partsOf, type MimeContent } from './content.ts'
import { RawText } from './json-pieces.ts'

/** A mail as in MailHog. `raw` has one character for each byte. */
export function presentMail(mail: WholeMail, raw: string) {
  const { envelope, receivedAt, recipients } = mail
  const id = shownId(mail.id)
  const from = envelope?.mailFrom ?? mail.from
  const helo = envelope?.helo ?? ''
  const content = parseContent(raw)
  const mime = partsOf(content)
  addHeaders(content, { id, from, helo, receivedAt })
  return {
    ID: id,
    From: pathOf(from),
    To: recipients.map(pathOf),
    Content: content,
    Created: isoTime(receivedAt),
    MIME: mime,
    Raw: { From: from, To: recipients, Data: new RawText(raw), Helo: helo },
  }
}

type Arrival = { id: string; from: string; helo: string; receivedAt: number }

/** MailHog adds what a server on the way would add. Tests find the sender of the envelope there. */
function addHeaders({ Headers }: MimeContent, { id, from, helo, receivedAt }: Arrival): void {
  const nameOf = (name: string) => Object.keys(Headers).find((one) => one.toLowerCase() === name.toLowerCase())
  const add = (name: string, value: string) => {
    const used = nameOf(name) ?? name
    Headers[used] = [...(Headers[used] ?? []), value]
  }
  if (nameOf('Message-ID') === undefined) add('Message-ID', id)
  const date = new Date(receivedAt).toUTCString().replace('GMT', '+0000')
  add('Received', `from ${helo} by mailhatch (Mailhatch)\r\n          id ${id}; ${date}`)
  add('Return-Path', `<${from}>`)
}

function pathOf(path: string) {
  const colon = path.indexOf(':')
  const email = path.slice(colon + 1)
  const at = email.indexOf('@')
  return {
    Relays: colon < 0 ? null : path.slice(0, colon).split(','),
    Mailbox: at < 0 ? email : email.slice(0, at),
    Domain: at < 0 ? '' : email.slice(at + 1),
    Params: '',
  }
}
