import { createAnswerReader } from './answer-reader.ts'
import { openSocket } from './socket.ts'

export type HttpLoadOptions = {
  port: number
  request: string
  connections: number
  durationMs: number
  /** These twelve digits of the request are replaced by the next number each time, for example in an id. */
  freshDigits?: string
  /** The numbers start again here, for requests about what exists. */
  freshBelow?: number
}

export type HttpLoadResult = { answers: number; elapsedMs: number }

/** Repeats a request on keep-alive connections, each as soon as the previous response is complete. */
export async function runHttpLoad(options: HttpLoadOptions): Promise<HttpLoadResult> {
  const { freshBelow = Number.MAX_SAFE_INTEGER } = options
  const startedAt = performance.now()
  const until = startedAt + options.durationMs
  let answers = 0
  let lastAt = startedAt
  let number = 0

  function ask(): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = Buffer.from(options.request)
      const digitsAt = options.freshDigits === undefined ? -1 : request.indexOf(options.freshDigits)
      let isDone = false
      let refusal: Error | null = null

      function send(): void {
        if (digitsAt !== -1) request.write(twelveDigits(number++ % freshBelow), digitsAt, 'latin1')
        socket.write(request)
      }

      const read = createAnswerReader((status, body) => {
        if (status !== 200) {
          refusal = new Error(`The server responded with ${status}: ${body.toString().slice(0, 200)}`)
          return void socket.destroy()
        }
        answers++
        lastAt = performance.now()
        if (lastAt < until) return send()
        isDone = true
        socket.end()
      })
      const socket = openSocket(options.port, {
        onBytes: read,
        onClose: (error) => {
          const failure = refusal ?? (isDone ? null : (error ?? new Error('The server closed the connection.')))
          if (failure) reject(failure)
          else resolve()
        },
      })
      send()
    })
  }

  await Promise.all(Array.from({ length: options.connections }, ask))
  return { answers, elapsedMs: lastAt - startedAt }
}

export function twelveDigits(number: number): string {
  return number.toString(16).padStart(12, '0')
}
