import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { PostJson } from './worker/announce.ts'

/** An answer of ours is far shorter; more of another is not needed to say what it was. */
const ANSWER_BYTES_MAX = 64 * 1024

/** Shows every status. Node's fetch hides a 407, and a 421 that comes twice, and says only that it failed. */
export const postJson: PostJson = async (url, post) => {
  try {
    return await postOnce(url, post)
  } catch (error) {
    // The other side may close a connection just when it is used again; that is not the announcement's doing.
    if (error instanceof ReusedConnectionLost) return postOnce(url, post)
    throw error
  }
}

class ReusedConnectionLost extends Error {}

function postOnce(url: string, { headers, body, signal }: Parameters<PostJson>[1]): ReturnType<PostJson> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      signal,
    }
    const asked = new URL(url).protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options)
    const fail = (error: NodeJS.ErrnoException) => reject(reasonOf(error, asked, signal))
    asked.once('response', (answer) => {
      readAnswer(answer).then(
        (text) => resolve({ status: answer.statusCode!, text, location: answer.headers.location ?? null }),
        fail,
      )
    })
    asked.on('error', fail)
    asked.end(body)
  })
}

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

function reasonOf(error: NodeJS.ErrnoException, asked: ClientRequest, signal: AbortSignal): unknown {
  // Says that it took too long, where the error says only that it was aborted.
  if (signal.aborted) return signal.reason
  if (asked.reusedSocket && error.code === 'ECONNRESET') return new ReusedConnectionLost(error.message)
  // One for each address of the name, and no words of its own.
  if (error instanceof AggregateError) return error.errors[0]
  return error
}
