import { connect, type Socket } from 'node:net'
import { SmtpReplies } from './smtp-replies.ts'

export type OutgoingMail = { to: string; raw: Uint8Array }

const CRLF = '\r\n'

/** Sends mail byte for byte and knows which was accepted: mail whose 250 it has read. */
export class SmtpClient {
  #socket: Socket
  #replies: SmtpReplies

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#replies = new SmtpReplies(socket)
  }

  static async connect(port: number): Promise<SmtpClient> {
    const client = new SmtpClient(connect({ host: '127.0.0.1', port, noDelay: true }))
    await client.#replies.next()
    client.#say('EHLO client.test')
    await client.#replies.next()
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
    const replies = await this.#threeReplies()
    const refusal = replies.find(isRefusal)
    if (refusal !== undefined) return refusal
    this.#socket.write(withDotsDoubled(raw))
    this.#say('.')
    return this.#replies.next()
  }

  async #sendChunk(to: string, raw: Uint8Array): Promise<string> {
    this.#say('MAIL FROM:<app@shop.example> BODY=BINARYMIME', `RCPT TO:<${to}>`, `BDAT ${raw.byteLength} LAST`)
    this.#socket.write(raw)
    const replies = await this.#threeReplies()
    return replies.find(isRefusal) ?? replies[2]!
  }

  async #threeReplies(): Promise<string[]> {
    return [await this.#replies.next(), await this.#replies.next(), await this.#replies.next()]
  }

  #say(...lines: string[]): void {
    this.#socket.write(lines.map((line) => `${line}${CRLF}`).join(''))
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
