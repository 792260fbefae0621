import { percentile } from '../statistics.ts'
import { createAnswerReader } from './answer-reader.ts'
import { writeFresh } from './fresh-digits.ts'
import { openSocket } from './socket.ts'

/** A prime, and so the order has all numbers below `freshBelow` unless that is a multiple of it. */
const FRESH_STEP = 7_919

export type HttpLoadOptions = {
  port: number
  request: string
  connections: number
  durationMs: number
  /**
   * FRESH_DIGITS in the request are replaced by another number below this one each time. The order is always the same, but not
   * ascending, because a search for a low number, with its many zeros, takes longer.
   */
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
        number = (number + FRESH_STEP) % freshBelow
        writeFresh([request], number)
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
