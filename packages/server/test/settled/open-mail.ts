import { connect, type Socket } from 'node:net'
import { SmtpReplies } from '../support/smtp-replies.ts'

/** One SMTP transaction, step by step. */
export class OpenMail {
  #socket: Socket
  #replies: SmtpReplies

  private constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true })
    this.#replies = new SmtpReplies(this.#socket)
  }

  /** Resolves when the recipient is accepted. Throws if it is refused. */
  static async begin(port: number, to: string): Promise<OpenMail> {
    const mail = new OpenMail(port)
    await mail.#replies.next()
    const extension = /^[ -~]*$/.test(to) ? '' : ' SMTPUTF8'
    for (const line of ['EHLO client.test', `MAIL FROM:<app@shop.test>${extension}`, `RCPT TO:<${to}>`]) {
      const reply = await mail.say(line)
      if (!reply.startsWith('250')) throw new Error(`${line}: ${reply}`)
    }
    return mail
  }

  async say(line: string): Promise<string> {
    this.#socket.write(`${line}\r\n`)
    return this.#replies.next()
  }

  /** Sends the content, of at least so many bytes, but not its end. */
  async startContent(subject: string, bytes = 0): Promise<void> {
    await this.say('DATA')
    this.#socket.write(`Subject: ${subject}\r\n\r\n${'Hello\r\n'.repeat(1 + bytes / 7)}`)
  }

  /** Resolves to the reply. */
  async finish(): Promise<string> {
    const reply = await this.say('.')
    this.close()
    return reply
  }

  /** Ends the content, and resets the connection without waiting for the reply, so that the server notices it while it stores the mail. */
  async drop(): Promise<void> {
    await new Promise<void>((resolve) => void this.#socket.write('.\r\n', () => setTimeout(resolve, 2)))
    this.#socket.resetAndDestroy()
  }

  close(): void {
    this.#socket.destroy()
  }
}
