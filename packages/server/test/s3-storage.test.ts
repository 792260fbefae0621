import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openS3Bucket } from '../src/bucket/s3-bucket.ts'
import { parseS3Location } from '../src/bucket/s3-location.ts'
import { ConfigError, readConfig } from '../src/program/config.ts'
import { createLogger } from '../src/observe/logger.ts'
import { startApi } from '../src/program/node.ts'
import { ask } from './support/ask.ts'
import { startFaultyProxy } from './support/faulty-proxy.ts'
import { withDatabase } from './support/journey-database.ts'
import { S3_CREDENTIALS, startObjectStorage, type ObjectStorage } from './support/object-storage.ts'
import { run } from './support/program.ts'
import { startServer, temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'

let storage: ObjectStorage
beforeAll(async () => {
  storage = await startObjectStorage()
})
afterAll(() => storage.close())

const keys = { S3_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId, S3_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey }

describe('mail kept in S3', () => {
  test.each([
    ['small', 2_000],
    ['larger than one part', 6 * 1024 * 1024],
  ])('a %s mail arrives, is served unchanged, and is deleted with its message', async (_, size) => {
    const { s3Url } = storage.newBucket()
    const server = await startServer({ INBOX_STORAGE: s3Url, ...keys })
    const bucket = await openS3Bucket({ location: parseS3Location(s3Url), credentials: S3_CREDENTIALS })
    const lines = randomBytes(size / 2)
      .toString('hex')
      .replaceAll(/.{100}/g, '$&\r\n')
    const raw = `From: a@shop.example\r\nTo: qa@mailhatch.test\r\nSubject: In S3\r\n\r\n${lines}\r\n`
    const waiting = server.sdk.messages.waitFor({ mailbox: 'qa' }, { timeout: 30_000 })
    await server.sendMail({ envelope: { from: 'a@shop.example', to: 'qa@mailhatch.test' }, raw })
    const { id, subject } = await waiting
    expect(subject).toBe('In S3')
    expect((await bucket.list({ prefix: 'raw/', limit: 10 })).keys).toHaveLength(1)

    const headers = { authorization: `Bearer ${server.apiKey}` }
    const answer = await fetch(`${server.url}/v1/messages/${id}/raw`, { headers })
    expect((await answer.text()) === raw).toBe(true)
    const removed = await fetch(`${server.url}/v1/messages/${id}`, { method: 'DELETE', headers })
    expect(removed.ok).toBe(true)
    await expect.poll(async () => (await bucket.list({ prefix: '', limit: 10 })).keys).toEqual([])
  })

  test('a separate API reads the worker’s bucket, if its secret is right', async () => {
    const { s3Url } = storage.newBucket()
    const server = await startServer({ INBOX_STORAGE: s3Url, ...keys })
    await server.sendMail({ to: 'qa@mailhatch.test', subject: 'For the API', text: 'Hello' })
    const { id } = await server.sdk.messages.waitFor({ mailbox: 'qa' }, { timeout: 30_000 })
    await server.close()

    const log = createLogger('silent', false)
    const environment = await withDatabase({
      DATA_DIR: server.dataDir,
      PORT: '0',
      INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET,
      INBOX_STORAGE: s3Url,
    })
    const wrong = readConfig('api', { ...environment, ...keys, S3_SECRET_ACCESS_KEY: 'another' })
    await expect(startApi(wrong, log)).rejects.toThrow('SignatureDoesNotMatch')
    const api = await startApi(readConfig('api', { ...environment, ...keys }), log)
    onTestFinished(() => api.close())
    const headers = { authorization: `Bearer ${server.apiKey}` }
    const answer = await fetch(`http://127.0.0.1:${api.apiPort}/v1/messages/${id}/raw`, { headers })
    expect(await answer.text()).toContain('Subject: For the API\r\n')
  })

  test('while it is unreachable, API and worker respond with 503 `storage_unavailable`, and recover afterwards', async () => {
    const { s3Url } = storage.newBucket()
    const { origin } = new URL(parseS3Location(s3Url).url)
    let isAway = false
    const proxy = await startFaultyProxy(origin, () => (isAway ? 'drop' : 'pass'))
    const environment = { INBOX_STORAGE: s3Url.replace(origin, proxy.url), ADMIN_TOKEN: 'token-of-the-admin', ...keys }
    const { url, workerUrl, apiKey, sdk, sendMail } = await startServer(environment)
    const attachments = [{ filename: 'a.txt', content: 'attached' }]
    await sendMail({ to: 'qa@mailhatch.test', subject: 'Out of reach', text: 'Hello', attachments })
    const { id } = await sdk.messages.waitFor({ mailbox: 'qa' }, { timeout: 30_000 })
    const addresses = [
      [`${url}/v1/messages/${id}/raw`, apiKey],
      [`${url}/v1/messages/${id}/attachments/0`, apiKey],
      [`${workerUrl}/admin/inboxes`, 'token-of-the-admin'],
      [`${workerUrl}/admin/inboxes/qa/messages/${id}/raw?domain=mailhatch.test`, 'token-of-the-admin'],
    ] as const
    const statuses = () => Promise.all(addresses.map(async ([address, key]) => (await get(address, key)).status))
    expect(await statuses()).toEqual([200, 200, 200, 200])

    isAway = true
    const answers = await Promise.all(addresses.map(([address, key]) => ask(address, { key })))
    const error = 'The mail storage cannot be reached. Please retry.'
    const refusal = { code: 'storage_unavailable', error, requestId: expect.any(String) }
    for (const { status, headers, body } of answers) {
      expect([status, headers.get('retry-after'), body]).toEqual([503, '1', refusal])
    }
    expect((await sdk.messages.get(id)).text).toContain('Hello')

    isAway = false
    expect(await statuses()).toEqual([200, 200, 200, 200])
  })
})

function get(address: string, key: string): Promise<Response> {
  return fetch(address, { headers: { authorization: `Bearer ${key}` } })
}

describe('settings', () => {
  const problemsOf = (environment: Record<string, string>) => {
    try {
      readConfig('serve', environment)
      return []
    } catch (error) {
      if (error instanceof ConfigError) return error.problems
      throw error
    }
  }
  const location = 's3://mail?endpoint=https://s3.test'

  test.each<[string, Record<string, string>, string[]]>([
    ['nothing', { INBOX_STORAGE: location, ...keys }, []],
    ['no keys', { INBOX_STORAGE: location }, ['S3_ACCESS_KEY_ID: is required', 'S3_SECRET_ACCESS_KEY: is required']],
    ['no secret, and more', { INBOX_STORAGE: location, S3_ACCESS_KEY_ID: 'key', PORT: 'x' }, ['PORT="x"', 'S3_SECRET']],
    ['no region', { INBOX_STORAGE: 's3://mail', ...keys }, ['INBOX_STORAGE="s3://mail": requires region=']],
    ['another scheme', { INBOX_STORAGE: 'gs://mail' }, ['INBOX_STORAGE="gs://mail": must be file:<folder>, s3://']],
    [
      'keys in the address',
      { INBOX_STORAGE: 's3://key:word@mail' },
      ['INBOX_STORAGE="s3://(hidden)@mail": must not contain'],
    ],
  ])('%s', (_, environment, expected) => {
    const problems = problemsOf(environment)
    expect(problems).toHaveLength(expected.length)
    for (const [index, beginning] of expected.entries()) expect(problems[index]).toContain(beginning)
  })

  test('a wrong secret stops the program at its start, with S3’s reason and without the secret', async () => {
    const { code, stderr } = await run(['serve'], {
      DATA_DIR: temporaryFolder(),
      PORT: '0',
      WORKER_PORT: '0',
      SMTP_PORT: '0',
      INBOX_STORAGE: storage.newBucket().s3Url,
      S3_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
      S3_SECRET_ACCESS_KEY: 'not-the-secret',
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /S3 bucket bucket-\d+ at http.* cannot be used\. S3 responded to GET with 403 SignatureDoesNotMatch/,
    )
    expect(stderr).not.toContain('not-the-secret')
  })
})
