import { FRESH_DIGITS, freshDigits, writeFresh } from './fresh-digits.ts'
import { HttpClient } from './http-client.ts'
import { mailCommands, QUIT } from './mail.ts'
import { SmtpClient } from './smtp-client.ts'

export type FirstMailsOptions = {
  smtpPort: number
  httpPort: number
  /** The request for the newest mail of an address, with FRESH_DIGITS in it. */
  request: string
  /** With FRESH_DIGITS in it. */
  recipient: string
  /** Numbers of the addresses: from the first one, as many as there are mails, or always the first one. */
  first: number
  isOneAddress: boolean
  mails: number
}

/** Milliseconds, one value per mail. */
export type FirstMailsResult = { acknowledgedToSeen: number[]; connectToSeen: number[] }

const MAIL_BYTES = 2_000
/** A mail that is not seen by then is lost. */
const SEEN_MS_MAX = 10_000

/** Sends one mail at a time, each on a connection of its own, and polls for it as fast as the program responds. */
export async function measureFirstMails(options: FirstMailsOptions): Promise<FirstMailsResult> {
  const http = new HttpClient(options.httpPort)
  const result: FirstMailsResult = { acknowledgedToSeen: [], connectToSeen: [] }
  for (let mail = 0; mail < options.mails; mail++) {
    const number = options.isOneAddress ? options.first : options.first + mail
    // The code of a mail is in its subject and body, and no other mail has it.
    const code = String(1_000_000 + options.first + mail)
    const { from, recipient, data, content } = mailCommands({
      sizeBytes: MAIL_BYTES,
      recipient: options.recipient,
      code,
    })
    writeFresh([recipient, content], number)
    const request = options.request.replaceAll(FRESH_DIGITS, freshDigits(number))
    const startedAt = performance.now()
    const smtp = await SmtpClient.open(options.smtpPort)
    await smtp.ask(from)
    await smtp.ask(recipient)
    await smtp.ask(data)
    const { at: acknowledgedAt } = await smtp.ask(content)
    const seenAt = await untilSeen(http, request, code)
    result.acknowledgedToSeen.push(seenAt - acknowledgedAt)
    result.connectToSeen.push(seenAt - startedAt)
    await smtp.ask(QUIT)
    smtp.close()
  }
  http.close()
  return result
}

async function untilSeen(http: HttpClient, request: string, code: string): Promise<number> {
  const deadline = performance.now() + SEEN_MS_MAX
  for (;;) {
    const { status, text, at } = await http.ask(request)
    if (status === 200 && text.includes(code)) return at
    if (at > deadline)
      throw new Error(`A mail was not seen for ${SEEN_MS_MAX / 1000} s. The last response was ${status}.`)
  }
}
