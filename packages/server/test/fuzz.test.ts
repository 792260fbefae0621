import { describe, expect, onTestFinished, test } from 'vitest'
import { faultIn } from './support/answer-check.ts'
import { store } from './support/announce.ts'
import { reader } from './support/ask.ts'
import { API_KEY, startChild } from './support/child-server.ts'
import { fuzzRequest, type FuzzMaterial, type FuzzRequest } from './support/fuzz-request.ts'
import { MalformedAnswer, parseAnswer, type HttpAnswer } from './support/http-answer.ts'
import { runForJson } from './support/program.ts'
import { publishedClient } from './support/published-client.ts'
import { RawConnection, type Outcome } from './support/raw-connection.ts'
import { temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'

const SEED = Number(process.env['FUZZ_SEED'] ?? 1)
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 1_500)
const CONNECTIONS = 16
/** A server that takes longer than this hangs. */
const ANSWER_MS_MAX = 10_000
/** A wait is held for the requested time. The test does not wait longer than this. */
const HELD_MS = 200
/** For a machine that is busy with other tests. */
const TIMEOUT = { timeout: 180_000 }

test(
  `${REQUESTS} malformed requests get a response in the common format, and nothing breaks (seed ${SEED})`,
  TIMEOUT,
  async () => {
    const dataDir = temporaryFolder()
    const child = await startChild({ environment: { DATA_DIR: dataDir } })
    const port = Number(new URL(child.apiUrl).port)
    const material = await prepare(child.apiUrl, dataDir)
    /** One example of each kind. */
    const faults = new Map<string, string>()
    const statuses = new Map<number, number>()
    let next = 0

    async function fuzzOnOneConnection(): Promise<void> {
      const line = new Line(port)
      while (next < REQUESTS) {
        const number = (next += 1)
        const request = fuzzRequest({ seed: SEED, number }, material)
        const outcome = await line.send(request)
        const fault = faultOf(request, outcome)
        if (fault !== null) faults.set(fault, `FUZZ_SEED=${SEED}, request ${number}: ${shown(request, outcome)}`)
        if (typeof outcome === 'string' || outcome instanceof Error) continue
        statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1)
        material.rotatingKey = rotatedKey(request, outcome) ?? material.rotatingKey
      }
      line.close()
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, fuzzOnOneConnection))

    expect(Object.fromEntries(faults)).toEqual({})
    // Enough of them passed authentication to be meaningful.
    expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 10)
    expect(statuses.get(401)).toBeLessThan(REQUESTS / 3)
    expect(child.complaints()).toBe('')
    expect(child.process.exitCode).toBeNull()
    await expectUsable(child.apiUrl, child.smtpPort, material.readingKey)
  },
)

/** Messages and mailboxes as targets, and keys of all kinds. */
async function prepare(url: string, dataDir: string): Promise<FuzzMaterial> {
  for (let number = 0; number < 60; number += 1) await store(url, { mailbox: `fuzz-${number % 20}`, tag: 't' })
  const { data } = await reader(url, API_KEY).list({ limit: 60 })
  const makeKey = async (scope: string) => {
    const words = ['keys', 'create', '--scope', scope, '--json']
    return (await runForJson<{ key: string }>(words, { DATA_DIR: dataDir })).key
  }
  return {
    key: API_KEY,
    rotatingKey: await makeKey('api.full'),
    readingKey: await makeKey('email.full'),
    secret: WEBHOOK_SECRET,
    messageIds: data.map(({ id }) => id),
    mailboxIds: [...new Set(data.map(({ mailboxId }) => mailboxId))],
  }
}

/** A kept connection that is replaced after use. Requests that need their own connection get one. */
class Line {
  #port: number
  #connection: RawConnection | null = null

  constructor(port: number) {
    this.#port = port
  }

  async send(request: FuzzRequest): Promise<Outcome | MalformedAnswer> {
    const wasKept = !request.isAlone && this.#connection !== null
    const outcome = await this.#sendOnce(request)
    // The server may close a kept connection during a write; any client retries then.
    return outcome === 'closed' && wasKept ? this.#sendOnce(request) : outcome
  }

  close(): void {
    this.#connection?.close()
    this.#connection = null
  }

  async #sendOnce({ bytes, method, target, isAlone, isTruncated }: FuzzRequest): Promise<Outcome | MalformedAnswer> {
    if (isAlone || this.#connection?.isClosed) this.close()
    this.#connection ??= await RawConnection.open(this.#port)
    const boundMs = /wait/.test(target) ? HELD_MS : ANSWER_MS_MAX
    try {
      const outcome = await this.#connection.exchange({
        bytes,
        isHead: method === 'HEAD',
        boundMs,
        isLast: isTruncated,
      })
      if (isAlone || typeof outcome === 'string' || !outcome.isConnectionKept) this.close()
      return outcome
    } catch (error) {
      this.close()
      if (error instanceof MalformedAnswer) return error
      throw error
    }
  }
}

function faultOf({ method, target, isTruncated }: FuzzRequest, outcome: Outcome | MalformedAnswer): string | null {
  if (outcome instanceof MalformedAnswer) return `no HTTP: ${outcome.message}`
  if (outcome === 'closed') return isTruncated ? null : `${method}: closed without an answer`
  if (outcome === 'silent') return isTruncated || /wait/.test(target) ? null : `${method}: no answer in time`
  const fault = faultIn(outcome, { isHead: method === 'HEAD', path: target })
  return fault === null ? null : `${outcome.status}: ${fault}`
}

function rotatedKey({ target }: FuzzRequest, { status, body }: HttpAnswer): string | undefined {
  if (status !== 200 || !target.includes('rotate')) return undefined
  return /"key":"([^"]+)"/.exec(body.toString())?.[1]
}

function shown({ bytes }: FuzzRequest, outcome: Outcome | MalformedAnswer): string {
  const answer =
    typeof outcome === 'string' || outcome instanceof Error ? outcome : `${outcome.status} ${outcome.body.toString()}`
  return `${JSON.stringify(bytes.toString('latin1').slice(0, 600))} -> ${String(answer).slice(0, 400)}`
}

async function expectUsable(url: string, smtpPort: number, apiKey: string): Promise<void> {
  const client = publishedClient({ baseUrl: url, apiKey })
  expect(await client.list()).toMatchObject({ data: expect.any(Array) })
  const smtp = await SmtpClient.connect(smtpPort)
  onTestFinished(() => smtp.close())
  const raw = Buffer.from('From: a@shop.example\r\nSubject: Still here\r\n\r\nHello\r\n')
  expect(await smtp.send({ to: 'afterwards@mailhatch.test', raw })).toMatch(/^250 /)
  expect((await client.waitFor({ mailbox: 'afterwards' })).subject).toBe('Still here')
}

describe('control: the checks detect errors', () => {
  const FAILURE = { error: 'Not found', code: 'not_found', requestId: 'r1' }

  function answer(status: number, body: unknown, headers: Record<string, string> = {}): HttpAnswer {
    const all = { 'x-request-id': 'r1', 'content-type': 'application/json', ...headers }
    return {
      status,
      headers: new Map(Object.entries(all)),
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      isEventStream: false,
      isConnectionKept: true,
      length: 0,
    }
  }
  const check = (given: HttpAnswer, path = '/v1/me') => faultIn(given, { isHead: false, path })

  test('correct responses pass', () => {
    expect(check(answer(404, FAILURE))).toBeNull()
    expect(check(answer(200, { data: [] }))).toBeNull()
    expect(check(answer(204, ''))).toBeNull()
    const details = { limit: ['1 to 200'] }
    expect(check(answer(400, { ...FAILURE, code: 'validation_failed', details }))).toBeNull()
    const latest = { ...FAILURE, code: 'message_not_found', cursor: 'c1', arrived: [] }
    expect(check(answer(404, latest), '/v1/messages/latest?wait=1')).toBeNull()
  })

  test.each<[string, HttpAnswer]>([
    ['a 500', answer(500, { ...FAILURE, code: 'internal' })],
    ['a 503', answer(503, { ...FAILURE, code: 'shutting_down' })],
    ['a 507', answer(507, { ...FAILURE, code: 'storage_full' })],
    ['text', answer(404, 'Not found', { 'content-type': 'text/plain' })],
    ['an empty failure', answer(400, '')],
    ['a list', answer(404, [FAILURE])],
    ['an unknown code', answer(404, { ...FAILURE, code: 'oops' })],
    ['a code with the wrong status', answer(400, FAILURE)],
    ['no sentence', answer(404, { ...FAILURE, error: '' })],
    ['another request id', answer(404, { ...FAILURE, requestId: 'r2' })],
    ['no request id', answer(200, { data: [] }, { 'x-request-id': '' })],
    ['odd details', answer(404, { ...FAILURE, details: { limit: 'no' } })],
    ['more than the shape', answer(404, { ...FAILURE, stack: 'x' })],
    ['a cursor where none belongs', answer(404, { ...FAILURE, cursor: 'c1' })],
    ['a stack trace', answer(404, { ...FAILURE, error: 'x\n    at read (app.ts:10:5)' })],
    ['a module', answer(200, { data: 'node:internal/errors' })],
    ['a path', answer(200, { data: '/home/app/inbox.db' })],
  ])('%s does not', (_, given) => {
    expect(check(given)).toEqual(expect.any(String))
  })

  const parse = (text: string, isClosed = false) =>
    parseAnswer(Buffer.from(text, 'latin1'), { isHead: false, isClosed })

  test('complete responses are read, and partial ones are waited for', () => {
    expect(parse('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi')?.body.toString()).toBe('hi')
    expect(parse('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh')).toBeNull()
    expect(parse('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n')?.body.toString()).toBe(
      'hi',
    )
    expect(parse('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n')?.status).toBe(204)
    expect(parse('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhi', true)?.body.toString()).toBe('hi')
  })

  test.each([
    'HTTP/1.1 2000 OK\r\n\r\n',
    'hello\r\n\r\n',
    'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX-Split: a\rb\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nhi',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nhi',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxy\r\nhi\r\n',
  ])('%j is refused', (text) => {
    expect(() => parse(text)).toThrow(MalformedAnswer)
  })
})
