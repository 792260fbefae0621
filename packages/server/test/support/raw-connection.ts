import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { MalformedAnswer, parseAnswer, type HttpAnswer } from './http-answer.ts'

/** `closed`: the server disconnected without a response; `silent`: no response in time. */
export type Outcome = HttpAnswer | 'closed' | 'silent'

type Exchange = {
  bytes: Buffer
  isHead: boolean
  boundMs: number
  isLast: boolean
  /** More answers follow this one. */
  hasMore?: boolean
}

/** One connection that sends raw requests one after the other. */
export class RawConnection {
  #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #isClosed = false
  #wake = () => {}

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes])
      this.#wake()
    })
    // An error is followed by `close`; the listener keeps it from ending the process.
    socket.on('error', () => {})
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.#isClosed = true
        this.#wake()
      })
    }
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true })
    await once(socket, 'connect')
    return new RawConnection(socket)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** `isLast` also closes our side, which ends requests that the server would wait for. */
  async exchange({ bytes, isHead, boundMs, isLast, hasMore = false }: Exchange): Promise<Outcome> {
    if (isLast) this.#socket.end(bytes)
    else this.#socket.write(bytes)
    const deadline = Date.now() + boundMs
    for (;;) {
      const isClosed = this.#isClosed
      const answer = parseAnswer(this.#received, { isHead, isClosed })
      if (answer !== null) {
        this.#received = this.#received.subarray(answer.length)
        // An incomplete request may get two responses, one to its content and one to its end. The second is not read.
        // An unreadable request gets a complete response, even to a HEAD, and the connection is closed.
        if (!isLast && !hasMore && answer.isConnectionKept && this.#received.length > 0)
          throw new MalformedAnswer('bytes after the end of the answer')
        return answer
      }
      if (isClosed) {
        if (this.#received.length > 0) throw new MalformedAnswer('an answer that breaks off')
        return 'closed'
      }
      if (Date.now() >= deadline) return 'silent'
      await this.#somethingWithin(deadline - Date.now())
    }
  }

  close(): void {
    this.#socket.destroy()
  }

  #somethingWithin(timeMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
