import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { PostJson } from '../worker/announce.ts'

/** An answer of ours is far shorter; more of another is not needed to say what it was. */
const ANSWER_BYTES_MAX = 64 * 1024

/**
 * Shows every status. Node's fetch hides a 407, and a 421 that comes twice, and says only that it failed. Nothing is posted
 * twice: a mail that ends the API is known by the attempts that were cut.
 */
export const postJson: PostJson = (url, { headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      signal,
    }
    const asked = new URL(url).protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options)
    const fail = (error: unknown) => reject(reasonOf(error, signal))
    asked.once('response', (answer) => {
      readAnswer(answer).then(
        (text) => resolve({ status: answer.statusCode!, text, location: answer.headers.location ?? null }),
        fail,
      )
    })
    asked.on('error', fail)
    asked.end(body)
  })

async function readAnswer(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    // Leaving the loop ends the connection.
    if (bytes > ANSWER_BYTES_MAX) break
  }
  return Buffer.concat(chunks).toString('utf8', 0, ANSWER_BYTES_MAX)
}

function reasonOf(error: unknown, signal: AbortSignal): Error {
  // Says that it took too long, where the error says only that it was aborted.
  const reason: unknown = signal.aborted ? signal.reason : error
  // One for each address of the name, and no words of its own.
  const first: unknown = reason instanceof AggregateError ? reason.errors[0] : reason
  return first instanceof Error ? first : new Error(String(first))
}
