import { expect, onTestFinished, test, vi } from 'vitest'
import { createS3Client, type S3Request } from './s3-client.ts'
import { parseS3Location } from './s3-location.ts'

/** How long a request with all its attempts takes at a server that accepts connections but never responds. */
async function lasts(request: S3Request): Promise<{ tries: number; seconds: number }> {
  // Delays pass in real time. A timeout is reached immediately.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  let tries = 0
  const client = createS3Client({
    location: parseS3Location('s3://mail?endpoint=http://s3.test'),
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    async fetch(_, { signal }) {
      tries++
      vi.advanceTimersToNextTimer()
      throw signal!.reason
    },
  })
  const begun = Date.now()
  await expect(client.call(request)).rejects.toThrow('no response within')
  return { tries, seconds: (Date.now() - begun) / 1000 }
}

test.each<[string, S3Request]>([
  ['a download', { method: 'GET', key: 'raw/1' }],
  ['a check', { method: 'HEAD', key: 'raw/1' }],
  ['a deletion', { method: 'DELETE', key: 'raw/1' }],
  ['a deletion of many objects', { method: 'POST', query: { delete: '' }, body: new Uint8Array(1) }],
])('no response: %s fails with 503 before clients give up after 30 s', async (_, request) => {
  const { tries, seconds } = await lasts(request)
  expect(tries).toBe(3)
  expect(seconds).toBeLessThan(28)
})

test.each<[string, S3Request]>([
  ['a part', { method: 'PUT', key: 'raw/1', body: new Uint8Array(1) }],
  ['the end of an upload', { method: 'POST', key: 'raw/1', query: { uploadId: 'id' }, body: new Uint8Array(1) }],
  ['a list', { method: 'GET', query: { 'list-type': '2' } }],
])('no response: %s has more time, but less than senders wait', async (_, request) => {
  const { tries, seconds } = await lasts(request)
  expect(tries).toBe(3)
  // 5 MiB at 100 kB/s, three times, plus the deletions afterwards, within ten minutes.
  expect(seconds).toBeGreaterThan(3 * 52)
  expect(seconds).toBeLessThan(240)
})

/** The number of requests to a server that refuses with Retry-After, within the 20 s of a request. */
async function triesWith(retryAfter: string): Promise<number> {
  let tries = 0
  const client = createS3Client({
    location: parseS3Location('s3://mail?endpoint=http://s3.test'),
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    async fetch() {
      if (tries++ > 0) return new Response('')
      return new Response('<Error><Code>SlowDown</Code></Error>', {
        status: 503,
        headers: { 'retry-after': retryAfter },
      })
    },
  })
  await client.call({ method: 'PUT', key: 'raw/1', body: new Uint8Array(1) }).catch(() => {})
  return tries
}

test.each([
  ['more seconds than there are', '120', 1],
  ['a date too far away', new Date(Date.now() + 120_000).toUTCString(), 1],
  ['no time at all', '0', 2],
  ['a date that is over', 'Sun, 01 Mar 2020 00:00:00 GMT', 2],
  ['what is neither', 'soon', 2],
])('Retry-After with %s', async (_, retryAfter, tries) => {
  expect(await triesWith(retryAfter)).toBe(tries)
})
