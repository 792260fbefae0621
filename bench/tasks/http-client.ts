import { createAnswerReader } from './answer-reader.ts'
import { openSocket } from './socket.ts'

/** `at` is the time at which the response was complete. */
export type Answer = { status: number; body: Record<string, unknown>; at: number }

/** One keep-alive connection to the API, one request at a time. */
export class HttpClient {
  #socket
  #apiKey: string
  #pending: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null

  constructor(port: number, apiKey: string) {
    this.#apiKey = apiKey
    const read = createAnswerReader((status, bytes) => {
      const at = performance.now()
      const pending = this.#pending
      this.#pending = null
      // Every response of the API is a JSON object.
      pending?.resolve({ status, body: JSON.parse(bytes.toString()) as Record<string, unknown>, at })
    })
    this.#socket = openSocket(port, {
      onBytes: read,
      onClose: (error) => this.#pending?.reject(error ?? new Error('The server closed the connection.')),
    })
  }

  get(path: string): Promise<Answer> {
    this.#socket.write(getRequest(path, this.#apiKey))
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject }
    })
  }

  close(): void {
    this.#socket.destroy()
  }
}

export function getRequest(path: string, apiKey: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\nAccept: application/json\r\n\r\n`
}
