import { connect, type Socket } from 'node:net'

export type OutgoingMail = { to: string; raw: Uint8Array }

/** The server closed the connection, or died, before it responded. */
export class ConnectionLost extends Error {}

const CRLF = '\r\n'

/** Sends mail byte for byte and knows which was accepted: mail whose 250 it has read. */
export class SmtpClient {
  #socket: Socket
  #received = ''
  #isLost = false
  #wake = () => {}

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (bytes: Buffer) => {
      this.#received += bytes.toString('latin1')
      this.#wake()
    })
    // An error is followed by `close`; the listener keeps it from ending the process.
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#isLost = true
      this.#wake()
    })
  }

  static async connect(port: number): Promise<SmtpClient> {
    const client = new SmtpClient(connect({ host: '127.0.0.1', port, noDelay: true }))
    await client.#reply()
    client.#say('EHLO client.test')
    await client.#reply()
    return client
  }

  /** The first refusal, or the reply that accepts the mail. */
  async send({ to, raw }: OutgoingMail): Promise<string> {
    // DATA can only carry mail that ends with a line end; binary chunks carry any bytes.
    return endsWithLineEnd(raw) ? this.#sendData(to, raw) : this.#sendChunk(to, raw)
  }

  close(): void {
    this.#socket.destroy()
  }

  async #sendData(to: string, raw: Uint8Array): Promise<string> {
    this.#say('MAIL FROM:<app@shop.example>', `RCPT TO:<${to}>`, 'DATA')
    const replies = [await this.#reply(), await this.#reply(), await this.#reply()]
    const refusal = replies.find(isRefusal)
    if (refusal !== undefined) return refusal
    this.#socket.write(withDotsDoubled(raw))
    this.#say('.')
    return this.#reply()
  }

  async #sendChunk(to: string, raw: Uint8Array): Promise<string> {
    this.#say('MAIL FROM:<app@shop.example> BODY=BINARYMIME', `RCPT TO:<${to}>`, `BDAT ${raw.byteLength} LAST`)
    this.#socket.write(raw)
    const replies = [await this.#reply(), await this.#reply(), await this.#reply()]
    return replies.find(isRefusal) ?? replies[2]!
  }

  #say(...lines: string[]): void {
    this.#socket.write(lines.map((line) => `${line}${CRLF}`).join(''))
  }

  async #reply(): Promise<string> {
    for (;;) {
      const whole = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.#received)?.[0]
      if (whole !== undefined) {
        this.#received = this.#received.slice(whole.length)
        return whole
      }
      if (this.#isLost) throw new ConnectionLost('The SMTP connection was lost.')
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

export function isAccepted(reply: string): boolean {
  return reply.startsWith('250 ')
}

/** Mail as DATA would deliver it: with a line end at its end. */
export function withLineEnd(raw: Uint8Array): Uint8Array {
  return endsWithLineEnd(raw) ? raw : Buffer.concat([raw, Buffer.from(CRLF)])
}

function isRefusal(reply: string): boolean {
  return /^[45]/.test(reply)
}

function endsWithLineEnd(raw: Uint8Array): boolean {
  return raw.at(-2) === 0x0d && raw.at(-1) === 0x0a
}

/** RFC 5321, 4.5.2; Latin-1 preserves every byte. */
function withDotsDoubled(raw: Uint8Array): Buffer {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1')
  return Buffer.from(text.replaceAll(/(^|\r\n)\./g, '$1..'), 'latin1')
}
