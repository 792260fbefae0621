import { describe, expect, onTestFinished, test } from 'vitest'
import { seedsOf } from './prove/seeds.ts'
import { faultIn } from './support/answer-check.ts'
import { startChild } from './support/child-server.ts'
import { FUZZ_SETTINGS, prepareFuzz } from './support/fuzz-material.ts'
import { runRequests } from './support/fuzz-run.ts'
import { MalformedAnswer, parseAnswer, type HttpAnswer } from './support/http-answer.ts'
import { publishedClient } from './support/published-client.ts'
import { temporaryFolder } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'

const SEED = Number(process.env['FUZZ_SEED'] ?? 1)
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 700)

test(`${REQUESTS} malformed requests get a response in the common format, and nothing breaks (seed ${SEED})`, async () => {
  const dataDir = temporaryFolder()
  const child = await startChild({ environment: { DATA_DIR: dataDir, ...FUZZ_SETTINGS } })
  const material = await prepareFuzz(child, dataDir)
  const port = Number(new URL(child.apiUrl).port)
  const { missing, faults, statuses } = await runRequests({ port, material, seed: SEED, count: REQUESTS })

  for (const { seed, number } of seedsOf('requests')) {
    const replayed = await runRequests({ port, material, seed, first: number, count: 1 })
    for (const [fault, example] of [...replayed.missing, ...replayed.faults]) faults.set(fault, example)
  }
  expect(Object.fromEntries([...missing, ...faults])).toEqual({})
  // Enough of them passed authentication to be meaningful.
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 10)
  expect(statuses.get(401)).toBeLessThan(REQUESTS / 3)
  expect(child.complaints()).toBe('')
  expect(child.process.exitCode).toBeNull()
  await expectUsable(child.apiUrl, child.smtpPort, material.readingKey)
})

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
    const latest = { ...FAILURE, code: 'message_not_found', cursor: 'c1', arrived: [], refused: [] }
    expect(check(answer(404, latest), '/v1/messages/latest?wait=1')).toBeNull()
  })

  test.each<[string, HttpAnswer]>([
    ['a 500', answer(500, { ...FAILURE, code: 'internal' })],
    ['a 503 with another code', answer(503, { ...FAILURE })],
    ['a 502', answer(502, { ...FAILURE, code: 'internal' })],
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
