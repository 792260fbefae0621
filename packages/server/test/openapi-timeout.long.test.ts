import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { expectDocumented } from './support/documented.ts'
import { startServer } from './support/server.ts'

/** Headers may take 10 s, and Node checks every 30 s. */
const LATE_MS_MAX = 60_000

test(
  'a request that never arrives completely is 408 request_timeout in the common error format',
  { timeout: LATE_MS_MAX },
  async () => {
    const { url } = await startServer()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let received = ''
    socket.setEncoding('utf8').on('data', (text: string) => (received += text))
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n')
    await once(socket, 'close')
    const [head = '', body = ''] = received.split('\r\n\r\n')
    const [statusLine = '', ...lines] = head.split('\r\n')
    const headers = new Headers(lines.map((line): [string, string] => [line.split(': ')[0]!, line.split(': ')[1]!]))
    const answer = { status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) as { code: string } }
    expect([answer.status, answer.body.code]).toEqual([408, 'request_timeout'])
    expectDocumented('GET', `${url}/health`, answer)
  },
)
