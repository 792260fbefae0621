import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export type S3Ask = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
}

/** How the server handles a request: it responds, stays silent or closes the connection. */
export type S3Answer = { status: number; body?: string; headers?: Record<string, string> } | 'silence' | 'hang up'

export const EMPTY_LIST: S3Answer = {
  status: 200,
  body: '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>',
}

export function s3Refusal(status: number, code: string, message = 'Because.'): S3Answer {
  return { status, body: `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>` }
}

/** A scripted S3 server, for responses that a good one hardly ever sends. The first request is the check at opening. */
export async function startScriptedS3(answers: S3Answer[]) {
  const script = [EMPTY_LIST, ...answers]
  const asked: S3Ask[] = []
  const server = createServer((request, response) => void answerNext(request, response))

  async function answerNext(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://s3.test')
    const body = await text(request)
    const { method, headers } = request
    asked.push({ method: method!, path: url.pathname, query: url.searchParams, headers, body })
    const answer = script.shift() ?? s3Refusal(400, 'NotInTheScript')
    if (answer === 'hang up') request.socket.destroy()
    else if (answer !== 'silence') {
      const body = answer.body ?? ''
      response.writeHead(answer.status, { 'content-length': Buffer.byteLength(body), ...answer.headers }).end(body)
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `s3://mail?endpoint=http://127.0.0.1:${port}&region=eu-test-1`,
    /** Without the check at opening. */
    asked: () => asked.slice(1),
    opening: () => asked[0]!,
  }
}
