import { createReplyReader } from './reply-reader.ts'
import { EHLO } from './mail.ts'
import { openSocket } from './socket.ts'

type Reply = { code: number; at: number }

/** One connection, one command at a time. A reply includes the time at which it was read. */
export class SmtpClient {
  #socket
  #pending: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | null = null

  static async open(port: number): Promise<SmtpClient> {
    const client = new SmtpClient(port)
    await client.#reply()
    await client.ask(EHLO)
    return client
  }

  private constructor(port: number) {
    const read = createReplyReader((code) => {
      const pending = this.#pending
      this.#pending = null
      if (code >= 400) pending?.reject(new Error(`The server replied ${code}.`))
      else pending?.resolve({ code, at: performance.now() })
    })
    this.#socket = openSocket(port, {
      onBytes: (chunk) => read(chunk, chunk.length),
      onClose: (error) => this.#pending?.reject(error ?? new Error('The server closed the connection.')),
    })
  }

  ask(command: Uint8Array): Promise<Reply> {
    this.#socket.write(command)
    return this.#reply()
  }

  close(): void {
    this.#socket.destroy()
  }

  #reply(): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject }
    })
  }
}
