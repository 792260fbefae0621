import { createAnswerReader } from './answer-reader.ts'
import { openSocket } from './socket.ts'

/** `at` is the time at which the response was complete. */
export type RawAnswer = { status: number; text: string; at: number }
export type Answer = { status: number; body: Record<string, unknown>; at: number }

/** One keep-alive connection, one request at a time. */
export class HttpClient {
  #socket
  #apiKey: string
  #pending: { resolve: (answer: RawAnswer) => void; reject: (error: Error) => void } | null = null

  constructor(port: number, apiKey = '') {
    this.#apiKey = apiKey
    const read = createAnswerReader((status, bytes) => {
      const at = performance.now()
      const pending = this.#pending
      this.#pending = null
      pending?.resolve({ status, text: bytes.toString(), at })
    })
    this.#socket = openSocket(port, {
      onBytes: read,
      onClose: (error) => this.#pending?.reject(error ?? new Error('The server closed the connection.')),
    })
  }

  /** A request to the API, whose responses are JSON objects. */
  async get(path: string): Promise<Answer> {
    const { status, text, at } = await this.ask(getRequest(path, this.#apiKey))
    return { status, body: JSON.parse(text) as Record<string, unknown>, at }
  }

  ask(request: string): Promise<RawAnswer> {
    this.#socket.write(request)
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject }
    })
  }

  close(): void {
    this.#socket.destroy()
  }
}

export function getRequest(path: string, apiKey: string | null): string {
  const authorization = apiKey === null ? '' : `Authorization: Bearer ${apiKey}\r\n`
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}Accept: application/json\r\n\r\n`
}
