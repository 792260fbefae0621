import { createTransport } from 'nodemailer'
import { z } from 'zod'
import { parseRecipient, type Recipient } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'

/** Parsed in the main thread, in about 100 ms. Larger mail can be sent by SMTP. */
export const SEND_BYTES_MAX = 10 * 1024 * 1024
/** As for SMTP. */
const RECIPIENTS_MAX = 100

const person = z.object({ name: z.string().nullish(), email: z.string() })
const people = z.array(person).nullish()

export const sendBody = z.object({
  from: person,
  to: people,
  cc: people,
  bcc: z.array(z.string()).nullish(),
  replyto: people,
  subject: z.string().nullish(),
  text: z.string().nullish(),
  html: z.string().nullish(),
  attachments: z
    .array(
      z.object({
        content: z.string(),
        filename: z.string(),
        contenttype: z.string().nullish(),
        contentid: z.string().nullish(),
      }),
    )
    .nullish(),
  tags: z.array(z.string()).nullish(),
  headers: z.record(z.string(), z.string()).nullish(),
})
export type SendBody = z.output<typeof sendBody>

const OWN_HEADERS = ['to', 'from', 'cc', 'bcc', 'reply-to', 'date', 'subject', 'content-type', 'mime-version']

export type ComposedMail = { from: string; recipients: Recipient[]; content: Uint8Array }

/** The mail that a request describes. Throws 400 if an address, an attachment or a header is not valid. */
export async function composeMail(body: SendBody): Promise<ComposedMail> {
  const { to, cc, bcc, replyto, tags } = body
  const recipients = [
    ...(to ?? []).map(({ email }) => requireAddress('To', email)),
    ...(cc ?? []).map(({ email }) => requireAddress('Cc', email)),
    ...(bcc ?? []).map((email) => requireAddress('Bcc', email)),
  ]
  for (const { email } of replyto ?? []) requireAddress('Reply-To', email)
  requireAddress('From', body.from.email)
  if (recipients.length === 0) throw invalid('the message has no recipient')
  if (recipients.length > RECIPIENTS_MAX) throw invalid(`the message has more than ${RECIPIENTS_MAX} recipients`)
  const ownHeaders = tags?.length ? [...OWN_HEADERS, 'x-tags'] : OWN_HEADERS
  for (const name of Object.keys(body.headers ?? {})) {
    if (!/^[\w-]+$/.test(name)) throw invalid(`invalid header name: "${name}"`)
    if (ownHeaders.includes(name.toLowerCase())) throw invalid(`cannot overwrite header: "${name}"`)
  }
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const { message } = await transport.sendMail({
    from: asAddress(body.from),
    to: to?.map(asAddress),
    cc: cc?.map(asAddress),
    replyTo: replyto?.map(asAddress),
    subject: body.subject ?? '',
    text: body.text ?? '',
    ...(body.html && { html: body.html }),
    headers: { ...body.headers, ...(tags?.length && { 'X-Tags': tags.join(', ') }) },
    attachments: (body.attachments ?? []).map(asAttachment),
    // Content comes from the request alone.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  // Buffered, so it is not a stream.
  return { from: body.from.email, recipients, content: new Uint8Array(message as Buffer) }
}

function requireAddress(field: string, email: string): Recipient {
  const recipient = parseRecipient(email)
  if (!recipient) throw invalid(`invalid ${field} address: ${email}`)
  return recipient
}

function asAddress({ name, email }: z.output<typeof person>): { name: string; address: string } {
  return { name: name ?? '', address: email }
}

function asAttachment(given: NonNullable<SendBody['attachments']>[number]) {
  // Browsers put `data:image/png;base64,` before it.
  const encoded = given.content.slice(given.content.lastIndexOf(',') + 1).replaceAll(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded) || encoded.length % 4 !== 0) {
    throw invalid(`error decoding base64 attachment "${given.filename}"`)
  }
  return {
    content: Buffer.from(encoded, 'base64'),
    filename: given.filename,
    ...(given.contenttype && { contentType: given.contenttype }),
    ...(given.contentid && { cid: given.contentid, contentDisposition: 'inline' as const }),
  }
}

function invalid(message: string): AppError {
  return new AppError('validation_failed', message)
}
