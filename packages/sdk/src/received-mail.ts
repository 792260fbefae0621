import type { Mailhatch } from './client.ts'
import { MailhatchError } from './errors.ts'
import type { Inbox } from './inbox.ts'
import { mailPage } from './mail-page.ts'
import { printable } from './printable.ts'
import type { MessageSummary } from './wire.ts'

/** A test that got more than that has another problem. */
const MESSAGES_MAX = 20
/** A report is to be opened in a browser; what is larger stays on the server. */
const RAW_BYTES_MAX = 5 * 1024 * 1024

/** One thing to attach to the report of a test. */
export type Evidence = { name: string; contentType: string; body: string | Uint8Array }

/** The newest mail of an inbox, each message as JSON, as a page where it has HTML, and as it was received. */
export async function collectEvidence(mailhatch: Mailhatch, inbox: Pick<Inbox, 'messages'>): Promise<Evidence[]> {
  try {
    const messages = await inbox.messages()
    const first = Math.max(0, messages.length - MESSAGES_MAX)
    const each = messages.slice(first).map((message, index) => evidenceOf(mailhatch, message, first + index + 1))
    return (await Promise.all(each)).flat()
  } catch (error) {
    // The test has failed by itself; why its mail cannot be shown must not take the place of that.
    if (!(error instanceof MailhatchError)) throw error
    return [{ name: 'mail could not be read', contentType: 'text/plain', body: error.message }]
  }
}

async function evidenceOf(mailhatch: Mailhatch, { id, size }: MessageSummary, number: number): Promise<Evidence[]> {
  const email = await mailhatch.messages.get(id)
  const name = `mail ${number}: ${printable(email.subject) || '(no subject)'}`
  const evidence: Evidence[] = [
    { name: `${name} (JSON)`, contentType: 'application/json', body: JSON.stringify(email, null, 2) },
  ]
  if (email.html !== '') evidence.push({ name: `${name} (HTML)`, contentType: 'text/html', body: mailPage(email) })
  if ((size ?? 0) <= RAW_BYTES_MAX) {
    const body = await mailhatch.messages.raw(id)
    evidence.push({ name: `${name} (.eml)`, contentType: 'message/rfc822', body })
  }
  return evidence
}
