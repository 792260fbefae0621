import { parseRecipient } from '../../src/domain/address.ts'
import { cleanHtml, inlineImageIds } from '../../src/domain/html/clean-html.ts'
import { matches } from '../../src/domain/match.ts'
import { noSignatures, sign } from '../../src/domain/signature.ts'
import { presentMessage } from '../../src/http/present.ts'
import { listQuery, toListParams } from '../../src/http/message-params.ts'
import { parseQuery } from '../../src/http/query.ts'
import { readAnnouncement } from '../../src/intake/announcement.ts'
import { newMessage } from '../../src/intake/new-message.ts'
import { parseMail } from '../../src/mime/parse-mail.ts'
import { announcementOf, newMetadata } from '../../src/worker/metadata.ts'
import { awaitedWorkMs } from './work-time.ts'

/** Where in a mail a text can be. */
export const PLACES = ['text', 'html', 'subject', 'names', 'attachment names'] as const
export type Place = (typeof PLACES)[number]

export type Hold = { step: string; ms: number }

const ENVELOPE = { mailFrom: 'app@shop.example', helo: null, remoteAddress: null, tls: false, receivedVia: 'smtp' }
/** The maximum length of a filter. */
const FILTER_LENGTH = 1_000

/** The bytes of a mail that has the text in this place. */
export function mailWith(text: string, place: Place): Uint8Array {
  // A line end would end the header.
  const line = text.replace(/[\r\n]/g, ' ')
  const named = `Content-Disposition: attachment; filename="${line.replaceAll('"', '')}"\r\nContent-ID: <${line}>`
  const mails: Record<Place, string> = {
    text: `Content-Type: text/plain; charset=utf-8\r\n\r\n${text}`,
    html: `Content-Type: text/html; charset=utf-8\r\n\r\n<p>${text}</p><a href="https://a.test/?${text}">${text}</a>`,
    subject: `Subject: ${line}\r\n\r\nHello`,
    names: `From: ${line} <app@shop.example>\r\nTo: ${line} <qa@mailhatch.test>\r\n\r\nHello`,
    'attachment names': `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${named}\r\n\r\nx\r\n--b--`,
  }
  return Buffer.from(mails[place])
}

/** Processes a mail like the program, from its bytes to what readers see, and measures each step. */
export async function walk(raw: Uint8Array, needle: string): Promise<Hold[]> {
  const holds: Hold[] = []
  async function step<Result>(name: string, work: () => Result | Promise<Result>): Promise<Result> {
    const { result, ms } = await awaitedWorkMs(work)
    holds.push({ step: name, ms })
    return result
  }
  const parsed = await step('parse', () => parseMail(raw))
  const metadata = newMetadata({
    id: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24',
    recipient: parseRecipient('qa+odd@mailhatch.test')!,
    parsed,
    receivedAt: 0,
    rawSize: raw.byteLength,
    envelope: ENVELOPE,
    rootDomain: 'mailhatch.test',
  })
  const posted = announcementOf(metadata, parsed)
  const announcement = await step('announcement', () => readAnnouncement(posted, 'mailhatch.test'))
  const message = await step('intake', () => newMessage(announcement, 0))
  const stored = { ...message, mailboxId: 'm', mailbox: 'qa', position: 1, attachmentCount: message.attachments.length }
  await step('index', () => sign(noSignatures(), 1, stored))
  await step('detail', () => JSON.stringify(presentMessage(stored)))
  await step('view', () => {
    const html = stored.html ?? ''
    inlineImageIds(html)
    return cleanHtml(html, { remoteImages: false, inlineImage: () => null })
  })
  await step('filters', () => {
    const value = needle.slice(0, FILTER_LENGTH).replaceAll('\0', '').toWellFormed() || 'x'
    const query = new URLSearchParams({ subject: value, from: value, text: value, q: value })
    const { filter } = toListParams(parseQuery(listQuery, query))
    return matches(filter, stored)
  })
  return holds
}
