import type { Mailhatch } from './client.ts'
import { MailhatchError } from './errors.ts'
import type { Inbox } from './inbox.ts'
import { mailPage } from './mail-page.ts'
import { printable } from './printable.ts'
import type { MessageSummary } from './wire.ts'

/** Bounds the size of the report. */
const MESSAGES_MAX = 20
/** The report opens in a browser, so larger mail is not attached. */
const RAW_BYTES_MAX = 5 * 1024 * 1024

/** An attachment of a test report. */
export type Evidence = { name: string; contentType: string; body: string | Uint8Array }

/** The newest messages of an inbox, each as JSON, as an HTML page if it has HTML, and as raw mail. */
export async function collectEvidence(mailhatch: Mailhatch, inbox: Pick<Inbox, 'messages'>): Promise<Evidence[]> {
  try {
    const messages = await inbox.messages()
    const first = Math.max(0, messages.length - MESSAGES_MAX)
    const each = messages.slice(first).map((message, index) => evidenceOf(mailhatch, message, first + index + 1))
    return (await Promise.all(each)).flat()
  } catch (error) {
    // Attach this error instead of throwing it, because it would hide why the test failed.
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
