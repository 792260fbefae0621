import { percentile } from '../statistics.ts'
import { createAnswerReader } from './answer-reader.ts'
import { writeFresh } from './fresh-digits.ts'
import { openSocket } from './socket.ts'

export type HttpLoadOptions = {
  port: number
  request: string
  connections: number
  durationMs: number
  /** FRESH_DIGITS in the request are replaced by the next number each time, which starts again here. */
  freshBelow?: number
}

/** `p99Ms` is from a request to its response. */
export type HttpLoadResult = { answers: number; elapsedMs: number; p99Ms: number }

/** Repeats a request on keep-alive connections, each as soon as the previous response is complete. */
export async function runHttpLoad(options: HttpLoadOptions): Promise<HttpLoadResult> {
  const { freshBelow = Number.MAX_SAFE_INTEGER } = options
  const startedAt = performance.now()
  const until = startedAt + options.durationMs
  const timesMs: number[] = []
  let lastAt = startedAt
  let number = 0

  function ask(): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = Buffer.from(options.request)
      let isDone = false
      let refusal: Error | null = null
      let sentAt = startedAt

      function send(): void {
        writeFresh([request], number++ % freshBelow)
        sentAt = performance.now()
        socket.write(request)
      }

      const read = createAnswerReader((status, body) => {
        if (status !== 200) {
          refusal = new Error(`The server responded with ${status}: ${body.toString().slice(0, 200)}`)
          return void socket.destroy()
        }
        lastAt = performance.now()
        timesMs.push(lastAt - sentAt)
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
  return { answers: timesMs.length, elapsedMs: lastAt - startedAt, p99Ms: percentile(timesMs, 99) }
}
