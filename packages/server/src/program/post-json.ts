import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { PostJson } from '../worker/announce.ts'

/** The start of a response is enough for an error message. */
const ANSWER_BYTES_MAX = 64 * 1024

/**
 * Reports every status: Node's fetch hides a 407 and repeats a request after a 421. A request is never repeated here,
 * because a mail that crashes the API is recognised by the connections that were cut.
 */
export const postJson: PostJson = (url, { headers, body, signal, answerBytesMax = ANSWER_BYTES_MAX }) =>
  new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      signal,
    }
    const asked = new URL(url).protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options)
    const fail = (error: unknown) => reject(causeOf(error, signal))
    asked.once('response', (answer) => {
      readAnswer(answer, answerBytesMax).then(
        (text) => resolve({ status: answer.statusCode!, text, location: answer.headers.location ?? null }),
        fail,
      )
    })
    asked.on('error', fail)
    // Without a listener, Node drops the request with neither a response nor an error.
    asked.once('upgrade', (answer, socket) => {
      socket.destroy()
      resolve({ status: answer.statusCode!, text: '', location: null })
    })
    asked.end(body)
  })

async function readAnswer(answer: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    // Leaving the loop ends the connection.
    if (bytes > bytesMax) break
  }
  return Buffer.concat(chunks).toString('utf8', 0, bytesMax)
}

function causeOf(error: unknown, signal: AbortSignal): Error {
  // The signal's reason says that the request timed out; the error says only that it was aborted.
  const reason: unknown = signal.aborted ? signal.reason : error
  // An AggregateError has one error per address of the host name, and no message of its own.
  const first: unknown = reason instanceof AggregateError ? reason.errors[0] : reason
  return first instanceof Error ? first : new Error(String(first))
}
