import { connect, type Socket } from 'node:net'

/** One SMTP transaction, step by step. */
export class OpenMail {
  #socket: Socket
  #received = ''
  #isClosed = false
  #wake = () => {}

  private constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true })
    this.#socket.on('data', (bytes: Buffer) => {
      this.#received += bytes.toString('latin1')
      this.#wake()
    })
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => {
      this.#isClosed = true
      this.#wake()
    })
  }

  /** Resolves when the recipient is accepted. Throws if it is refused. */
  static async begin(port: number, to: string): Promise<OpenMail> {
    const mail = new OpenMail(port)
    await mail.#reply()
    for (const line of ['EHLO client.test', 'MAIL FROM:<app@shop.test>', `RCPT TO:<${to}>`]) {
      const reply = await mail.say(line)
      if (!reply.startsWith('250')) throw new Error(`${line}: ${reply}`)
    }
    return mail
  }

  async say(line: string): Promise<string> {
    this.#socket.write(`${line}\r\n`)
    return this.#reply()
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

  async #reply(): Promise<string> {
    for (;;) {
      const whole = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.#received)?.[0]
      if (whole !== undefined) {
        this.#received = this.#received.slice(whole.length)
        return whole
      }
      if (this.#isClosed) throw new Error('The connection was closed.')
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
