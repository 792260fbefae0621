import type { Socket } from 'node:net'

/** The server closed the connection, or died, before it responded. */
export class ConnectionLost extends Error {}

/** Reads the replies of an SMTP server, one after the other. */
export class SmtpReplies {
  #received = ''
  #isLost = false
  #wake = () => {}

  constructor(socket: Socket) {
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

  /** The next reply, with all its lines. */
  async next(): Promise<string> {
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
