import { expect, onTestFinished, test, vi } from 'vitest'
import { createS3Client, type S3Request } from './s3-client.ts'
import { parseS3Location } from './s3-location.ts'

/** How long a request to a server that takes connections and stays silent lasts, with all its tries. */
async function lasts(request: S3Request): Promise<{ tries: number; seconds: number }> {
  // Pauses pass as they do; of silence, the limit is what comes next.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldAdvanceTime: true })
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
  await expect(client.call(request)).rejects.toThrow('no answer within')
  return { tries, seconds: (Date.now() - begun) / 1000 }
}

test.each<[string, S3Request]>([
  ['a download', { method: 'GET', key: 'raw/1' }],
  ['a look', { method: 'HEAD', key: 'raw/1' }],
  ['a removal', { method: 'DELETE', key: 'raw/1' }],
  ['a removal of many', { method: 'POST', query: { delete: '' }, body: new Uint8Array(1) }],
])('silence: %s has its 503 before clients give up, which they do after 30 s', async (_, request) => {
  const { tries, seconds } = await lasts(request)
  expect(tries).toBe(3)
  expect(seconds).toBeLessThan(28)
})

test.each<[string, S3Request]>([
  ['a part', { method: 'PUT', key: 'raw/1', body: new Uint8Array(1) }],
  ['the end of an upload', { method: 'POST', key: 'raw/1', query: { uploadId: 'id' }, body: new Uint8Array(1) }],
  ['a list', { method: 'GET', query: { 'list-type': '2' } }],
])('silence: %s has time, yet less than senders wait', async (_, request) => {
  const { tries, seconds } = await lasts(request)
  expect(tries).toBe(3)
  // 5 MiB at 100 kB/s, three times; and room for what is removed afterwards, within ten minutes.
  expect(seconds).toBeGreaterThan(3 * 52)
  expect(seconds).toBeLessThan(240)
})
