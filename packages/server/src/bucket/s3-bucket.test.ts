import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../test/support/free-port.ts'
import { startReceiver } from '../../test/support/receiver.ts'
import { EMPTY_LIST, s3Refusal, startScriptedS3, type S3Answer } from '../../test/support/scripted-s3.ts'
import { SmtpClient } from '../../test/support/smtp-client.ts'
import { bytesOf, BucketUnreachable, type Bucket } from './bucket.ts'
import { openS3Bucket } from './s3-bucket.ts'
import { parseS3Location } from './s3-location.ts'

const CREDENTIALS = { accessKeyId: 'key', secretAccessKey: 'secret' }
/** Three attempts with hardly any delay. */
const timing = (responseMs: number) => {
  const patience = { responseMs, retryForMs: 0 }
  return { interactive: patience, background: patience, pauseMs: 1 }
}
const TIMING = timing(10_000)
const IMPATIENT = timing(1_000)
const DONE: S3Answer = { status: 200 }
const BUSY = s3Refusal(503, 'SlowDown', 'Reduce your request rate.')

const object = { key: 'raw/1', body: new TextEncoder().encode('mail') }

async function openScripted(answers: S3Answer[], timing = TIMING) {
  const server = await startScriptedS3(answers)
  const opened = await openS3Bucket({ location: parseS3Location(server.url), credentials: CREDENTIALS, timing })
  // As the worker stores mail: without checking whether the key exists.
  const bucket: Bucket = { ...opened, put: (objects) => opened.put(objects, { keysAreNew: true }) }
  return { bucket, server }
}

function list(keys: string[], { isTruncated = false, encoding = '' } = {}): S3Answer {
  const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`)
  return {
    status: 200,
    body: `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${encoding}<Prefix/><IsTruncated>${isTruncated}</IsTruncated>${contents.join('\n')}</ListBucketResult>`,
  }
}

describe('temporary errors are retried', () => {
  test.each<[string, S3Answer[]]>([
    ['503 SlowDown', [BUSY]],
    ['409 OperationAborted', [s3Refusal(409, 'OperationAborted')]],
    ['409 ConditionalRequestConflict', [s3Refusal(409, 'ConditionalRequestConflict')]],
    ['409 without a word', [{ status: 409 }]],
    ['500 InternalError', [s3Refusal(500, 'InternalError')]],
    ['400 RequestTimeout', [s3Refusal(400, 'RequestTimeout')]],
    ['several in turn', [s3Refusal(409, 'OperationAborted'), 'hang up']],
    ['503 twice', [BUSY, BUSY]],
    ['500 without a word', [{ status: 500 }]],
    ['a proxy’s page', [{ status: 502, body: '<html><br>Bad gateway' }]],
    ['too many requests', [{ status: 429 }]],
    ['a connection that breaks', ['hang up']],
  ])('%s', async (_, failures) => {
    const { bucket, server } = await openScripted([...failures, DONE])
    await bucket.put([object])
    expect(server.asked().map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual(
      Array.from({ length: failures.length + 1 }, () => 'PUT /mail/raw/1 mail'),
    )
  })

  test('within the SMTP transaction, so the sender does not notice', async () => {
    const conflict = s3Refusal(409, 'OperationAborted')
    const { bucket, server } = await openScripted([conflict, BUSY, DONE, conflict, 'hang up', DONE])
    const { port } = await startReceiver(bucket)
    const client = await SmtpClient.connect(port)
    const raw = Buffer.from('Subject: hello\r\n\r\nhello\r\n')
    expect(await client.send({ to: 'qa@in.test', raw })).toMatch(/^250 /)
    expect(server.asked().map(({ method }) => method)).toEqual(Array.from({ length: 6 }, () => 'PUT'))
    client.close()
  })

  test('more than three times if there is time', async () => {
    const patience = { responseMs: 10_000, retryForMs: 60_000 }
    const busy = Array.from({ length: 9 }, () => BUSY)
    const { bucket, server } = await openScripted([...busy, DONE], {
      interactive: patience,
      background: patience,
      pauseMs: 1,
    })
    await bucket.put([object])
    expect(server.asked()).toHaveLength(10)
  })

  test('a request without a response is retried after its timeout', async () => {
    const { bucket, server } = await openScripted(['silence', DONE], IMPATIENT)
    await bucket.put([object])
    expect(server.asked()).toHaveLength(2)
  })

  test('at most three times; then the error has the reason, and what may have been stored is deleted', async () => {
    const { bucket, server } = await openScripted([BUSY, BUSY, BUSY, { status: 204 }])
    const error = await bucket.put([object]).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(BucketUnreachable)
    expect(error).toMatchObject({
      message: expect.stringContaining('Reduce your'),
      cause: { status: 503, code: 'SlowDown' },
    })
    expect(server.asked().map(({ method }) => method)).toEqual(['PUT', 'PUT', 'PUT', 'DELETE'])
  })

  test('three requests without a response are an error that names the limit', async () => {
    const { bucket } = await openScripted(['silence', 'silence', 'silence'], IMPATIENT)
    await expect(bucket.get('raw/1')).rejects.toThrow('no response within 1000 ms')
  })

  test.each(['127.0.0.1', 'localhost'])('an unreachable server at %s is reported at the start', async (host) => {
    const location = parseS3Location(`s3://mail?endpoint=http://${host}:${await freePort()}`)
    await expect(openS3Bucket({ location, credentials: CREDENTIALS, timing: TIMING })).rejects.toThrow(
      /S3 bucket mail at http:\/\/[a-z0-9.]+:\d+\/mail cannot be used\..*ECONNREFUSED/,
    )
  })
})

describe('permanent errors are not retried', () => {
  test.each([
    [403, 'AccessDenied'],
    [400, 'InvalidDigest'],
    [301, 'PermanentRedirect'],
    [507, 'InsufficientStorage'],
  ])('%i %s', async (status, code) => {
    const { bucket, server } = await openScripted([s3Refusal(status, code, 'Not allowed.'), { status: 204 }])
    await expect(bucket.put([object])).rejects.toThrow(`S3 responded to PUT with ${status} ${code}: Not allowed.`)
    expect(server.asked().map(({ method }) => method)).toEqual(['PUT', 'DELETE'])
  })

  test('nor is a response that does not come from S3', async () => {
    const { bucket, server } = await openScripted([{ status: 200, body: '<html><body>Welcome</html>' }])
    await expect(bucket.list({ prefix: '', limit: 1 })).rejects.toThrow('not valid S3 XML')
    expect(server.asked()).toHaveLength(1)
  })
})

test('a missing bucket is not reported as a missing object', async () => {
  const { bucket } = await openScripted([s3Refusal(404, 'NoSuchKey'), s3Refusal(404, 'NoSuchBucket')])
  expect(await bucket.get('raw/1')).toBeNull()
  await expect(bucket.get('raw/1')).rejects.toThrow('NoSuchBucket')
})

test('a refused overwrite changes nothing, and nothing is deleted', async () => {
  const server = await startScriptedS3([DONE, BUSY, BUSY, BUSY])
  const location = parseS3Location(server.url)
  const bucket = await openS3Bucket({ location, credentials: CREDENTIALS, timing: TIMING })
  await expect(bucket.put([object])).rejects.toThrow('SlowDown')
  expect(server.asked().map(({ method }) => method)).toEqual(['HEAD', 'PUT', 'PUT', 'PUT'])
})

test('requests are signed for the region, with the hash of their body', async () => {
  const { bucket, server } = await openScripted([DONE])
  await bucket.put([object])
  const [{ headers }] = server.asked() as [ReturnType<typeof server.opening>]
  expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/eu-test-1\/s3\/aws4_request, /)
  expect(headers['x-amz-content-sha256']).toBe(createHash('sha256').update('mail').digest('hex'))
})

test('in virtual-host style the bucket is part of the host name', async () => {
  const server = await startScriptedS3([DONE, { status: 200, body: 'mail' }])
  const location = parseS3Location(`s3://mail?endpoint=http://s3.test:${server.port}&style=virtual`)
  const hosts: string[] = []
  // Instead of a name server.
  const toLoopback = (signed: URL, init: RequestInit) => {
    const url = new URL(signed)
    hosts.push(url.host)
    url.hostname = '127.0.0.1'
    return fetch(url, init)
  }
  const bucket = await openS3Bucket({ location, credentials: CREDENTIALS, timing: TIMING, fetch: toLoopback })
  await bucket.put([object], { keysAreNew: true })
  expect(new TextDecoder().decode(await bytesOf((await bucket.get('raw/1'))!))).toBe('mail')
  expect(new Set(hosts)).toEqual(new Set([`mail.s3.test:${server.port}`]))
  expect(server.opening().path).toBe('/')
  expect(server.asked().map(({ path }) => path)).toEqual(['/raw/1', '/raw/1'])
})

describe('lists', () => {
  test('are requested in pages after the last key, for any page size of the server', async () => {
    const pages = [
      list(['raw/1', 'raw/2'], { isTruncated: true }),
      list(['raw/3'], { isTruncated: true }),
      list(['raw/4']),
    ]
    const { bucket, server } = await openScripted(pages)
    expect(await bucket.list({ prefix: 'raw/', cursor: 'raw/0', limit: 5_000 })).toEqual({
      keys: ['raw/1', 'raw/2', 'raw/3', 'raw/4'],
      cursor: null,
    })
    const asked = server.asked().map(({ query }) => Object.fromEntries(query))
    const common = { 'list-type': '2', 'encoding-type': 'url', prefix: 'raw/', 'max-keys': '1000' }
    expect(asked).toEqual(['raw/0', 'raw/2', 'raw/3'].map((after) => ({ ...common, 'start-after': after })))
  })

  test('decode entities, and keys if the server says that they are encoded', async () => {
    const entities = ['raw/a&amp;b&lt;&gt;&quot;&apos;&#x2B;&#43;', 'raw/%2B+']
    const encoding = '<EncodingType>url</EncodingType>'
    const { bucket } = await openScripted([list(entities), list(['raw%2Fa%2Bb+c%20d%25', 'raw/%C3%A9'], { encoding })])
    expect((await bucket.list({ prefix: '', limit: 5 })).keys).toEqual([`raw/a&b<>"'++`, 'raw/%2B+'])
    expect((await bucket.list({ prefix: '', limit: 5 })).keys).toEqual(['raw/a+b c d%', 'raw/é'])
  })

  test('that never end are an error', async () => {
    const { bucket } = await openScripted([list(['raw/1'], { isTruncated: true }), list([], { isTruncated: true })])
    await expect(bucket.list({ prefix: '', limit: 5 })).rejects.toThrow('empty page but reported more')
  })
})

describe('deleting many objects', () => {
  const keys = ['raw/1', 'raw/<2>&', 'raw/3']

  test('is one request with a checksum', async () => {
    const { bucket, server } = await openScripted([{ status: 200, body: '<DeleteResult/>' }])
    await bucket.remove(keys)
    const [{ method, path, query, headers, body }] = server.asked() as [ReturnType<typeof server.opening>]
    expect([method, path, query.has('delete')]).toEqual(['POST', '/mail', true])
    expect(headers['x-amz-checksum-sha256']).toBe(createHash('sha256').update(body).digest('base64'))
    expect(body).toContain('<Key>raw/&lt;2&gt;&amp;</Key>')
  })

  test('retries failed deletions once, one by one', async () => {
    const failed = `<DeleteResult><Error><Key>raw/&lt;2&gt;&amp;</Key><Code>InternalError</Code></Error></DeleteResult>`
    const { bucket, server } = await openScripted([{ status: 200, body: failed }, { status: 204 }])
    await bucket.remove(keys)
    expect(server.asked().map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /mail',
      'DELETE /mail/raw/%3C2%3E%26',
    ])
  })

  test('fails if an object cannot be deleted', async () => {
    const failed = `<DeleteResult><Error><Key>raw/3</Key><Code>AccessDenied</Code></Error></DeleteResult>`
    const { bucket } = await openScripted([
      { status: 200, body: failed },
      s3Refusal(403, 'AccessDenied', 'It is locked.'),
    ])
    await expect(bucket.remove(keys)).rejects.toThrow('S3 responded to DELETE with 403 AccessDenied: It is locked.')
  })

  test.each([
    [501, 'NotImplemented'],
    [400, 'MissingContentMD5'],
  ])('continues one by one if the server responds with %i %s', async (status, code) => {
    const gone: S3Answer = { status: 204 }
    const { bucket, server } = await openScripted([s3Refusal(status, code), gone, gone, gone, gone, gone])
    await bucket.remove(keys)
    await bucket.remove(['raw/4', 'raw/5'])
    const asked = server.asked().map(({ method, path }) => `${method} ${path}`)
    expect(asked[0]).toBe('POST /mail')
    expect(asked.slice(1).sort()).toEqual(
      ['raw/%3C2%3E%26', 'raw/1', 'raw/3', 'raw/4', 'raw/5'].map((key) => `DELETE /mail/${key}`),
    )
  })
})

describe('an upload in parts', () => {
  const body = {
    size: 6 * 1024 * 1024,
    async *chunks() {
      for (let count = 0; count < 6; count++) yield new Uint8Array(1024 * 1024).fill(count)
    },
  }
  const started: S3Answer = {
    status: 200,
    body: '<InitiateMultipartUploadResult><UploadId>id/+=1</UploadId></InitiateMultipartUploadResult>',
  }
  const part: S3Answer = { status: 200, headers: { etag: '"part&1"' } }
  const completed: S3Answer = { status: 200, body: '<CompleteMultipartUploadResult/>' }
  // The body of S3 when it fails after it has sent a 200.
  const failedLate = s3Refusal(200, 'InternalError', 'Please try again.')

  test('is completed with its parts, and completed again if the 200 contains an error', async () => {
    const { bucket, server } = await openScripted([started, part, part, failedLate, completed])
    await bucket.put([{ key: 'raw/1', body }])
    const asked = server.asked()
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'PUT', 'PUT', 'POST', 'POST'])
    expect(asked.slice(1).map(({ query }) => query.get('uploadId'))).toEqual(Array.from({ length: 4 }, () => 'id/+=1'))
    expect(asked.slice(1, 3).map(({ query, body }) => [query.get('partNumber'), body.length])).toEqual([
      ['1', 5 * 1024 * 1024],
      ['2', 1024 * 1024],
    ])
    expect(asked[4]!.body).toContain('<Part><PartNumber>2</PartNumber><ETag>"part&amp;1"</ETag></Part>')
  })

  test('is aborted if a part is refused, and nothing is stored', async () => {
    const { bucket, server } = await openScripted([
      started,
      part,
      s3Refusal(403, 'AccessDenied'),
      { status: 204 },
      { status: 204 },
    ])
    await expect(bucket.put([{ key: 'raw/1', body }])).rejects.toThrow('AccessDenied')
    const asked = server.asked().map(({ method, query }) => `${method} ${query.get('uploadId')}`)
    expect(asked).toEqual(['POST null', 'PUT id/+=1', 'PUT id/+=1', 'DELETE id/+=1', 'DELETE null'])
  })

  test('that fails late each time is not stored', async () => {
    const { bucket } = await openScripted([
      started,
      part,
      part,
      failedLate,
      failedLate,
      failedLate,
      EMPTY_LIST,
      EMPTY_LIST,
    ])
    await expect(bucket.put([{ key: 'raw/1', body }])).rejects.toThrow('InternalError: Please try again.')
  })
})
