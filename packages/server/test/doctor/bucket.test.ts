import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { roundTrip } from '../../src/cli/deep/bucket-round-trip.ts'
import { openFolderBucket } from '../../src/bucket/folder-bucket.ts'
import { openS3Bucket } from '../../src/bucket/s3-bucket.ts'
import { parseS3Location } from '../../src/bucket/s3-location.ts'
import { startFaultyProxy, type Fault } from '../support/faulty-proxy.ts'
import { S3_CREDENTIALS, startObjectStorage, type ObjectStorage } from '../support/object-storage.ts'
import { startServer, temporaryFolder } from '../support/server.ts'
import { examine } from './examine.ts'

let storage: ObjectStorage
beforeAll(async () => {
  storage = await startObjectStorage()
})
afterAll(() => storage.close())

const KEYS = { S3_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId, S3_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey }

const worker = (environment: Record<string, string>) =>
  examine({ DATA_DIR: temporaryFolder(), ...KEYS, ...environment }, 'worker')

async function keysIn(s3Url: string): Promise<string[]> {
  const bucket = await openS3Bucket({ location: parseS3Location(s3Url), credentials: S3_CREDENTIALS })
  return (await bucket.list({ prefix: '', limit: 10 })).keys
}

/** A bucket behind a proxy that handles requests as the test says. */
async function behindProxy(faultOf: (method: string, url: string) => Fault) {
  const { s3Url } = storage.newBucket()
  const { origin } = new URL(parseS3Location(s3Url).url)
  const proxy = await startFaultyProxy(origin, (_, url, method) => faultOf(method, url))
  return { s3Url, through: s3Url.replace(origin, proxy.url) }
}

test('a round trip through S3 compares every byte and leaves nothing', async () => {
  const { s3Url } = storage.newBucket()
  const { code, of } = await worker({ INBOX_STORAGE: s3Url })
  expect([code, of('bucket')]).toMatchObject([
    0,
    { state: 'ok', says: expect.stringMatching(/put .*get .*list .*remove /) },
  ])
  expect(await keysIn(s3Url)).toEqual([])
})

test('a bucket that refuses to delete is a failure that names what is left', async () => {
  const refusal = { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }
  const { s3Url, through } = await behindProxy((method) => (method === 'DELETE' ? refusal : 'pass'))
  const { code, of } = await worker({ INBOX_STORAGE: through })
  const [left] = await keysIn(s3Url)
  expect(left).toMatch(/^doctor-/)
  expect([code, of('bucket')]).toMatchObject([
    1,
    { state: 'fail', says: expect.stringContaining('AccessDenied'), advice: expect.stringContaining(left!) },
  ])
})

test('other bytes than those that were stored are a failure, and the object is removed', async () => {
  const other = 'x'.repeat(4_096)
  const isRead = (method: string, url: string) => method === 'GET' && url.includes('/doctor-')
  const answer = { status: 200, headers: { 'content-length': String(other.length) }, body: other }
  const { s3Url, through } = await behindProxy((method, url) => (isRead(method, url) ? answer : 'pass'))
  const { of } = await worker({ INBOX_STORAGE: through })
  expect(of('bucket')).toMatchObject({ state: 'fail', says: expect.stringContaining('other bytes') })
  expect(await keysIn(s3Url)).toEqual([])
})

test('a list that fails is a failure, and the object is removed', async () => {
  const refusal = { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }
  const { s3Url, through } = await behindProxy((_, url) => (url.includes('prefix=doctor-') ? refusal : 'pass'))
  const { of } = await worker({ INBOX_STORAGE: through })
  expect(of('bucket')).toMatchObject({ state: 'fail', says: expect.stringContaining('failed to list') })
  expect(await keysIn(s3Url)).toEqual([])
})

test('a wrong secret is a failure with the reason of the storage and without the secret', async () => {
  const { s3Url } = storage.newBucket()
  const { findings, of } = await worker({ INBOX_STORAGE: s3Url, S3_SECRET_ACCESS_KEY: 'not-the-secret' })
  expect(of('bucket')).toMatchObject({ state: 'fail', says: expect.stringContaining('SignatureDoesNotMatch') })
  expect(JSON.stringify(findings)).not.toContain('not-the-secret')
})

test('a folder that a server uses has the same files afterwards', async () => {
  const folder = temporaryFolder()
  const settings = { INBOX_STORAGE: `file:${folder}`, DISK_FREE_MIN: '0' }
  const { dataDir, sendMail } = await startServer(settings)
  await sendMail({ to: 'qa@mailhatch.test', subject: 'Kept', text: 'Hello' })
  const namesIn = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.startsWith('raw'))
  const before = namesIn()
  const { of } = await examine({ DATA_DIR: dataDir, ...settings })
  expect(of('bucket')).toMatchObject({ state: 'ok' })
  expect(namesIn()).toEqual(before)
  expect(readdirSync(folder).filter((name) => name.includes('doctor'))).toEqual([])
  expect(readdirSync(`${folder}/.incoming`)).toEqual([])
})

test('a folder that no worker has used is not created', async () => {
  const folder = `${temporaryFolder()}/mail`
  const { of } = await worker({ INBOX_STORAGE: `file:${folder}` })
  expect(of('bucket')).toMatchObject({ state: 'skip', says: expect.stringContaining('no worker has used') })
})

test('an object that disappears, or that the list does not have, is a failure', async () => {
  const bucket = await openFolderBucket(temporaryFolder())
  expect(await roundTrip(bucket, 'it')).toMatchObject({ state: 'ok' })
  const forgetful = { ...bucket, get: async () => null }
  expect(await roundTrip(forgetful, 'it')).toMatchObject({
    state: 'fail',
    says: expect.stringContaining('cannot be read'),
  })
  const unlisted = { ...bucket, list: async () => ({ keys: [], cursor: null }) }
  expect(await roundTrip(unlisted, 'it')).toMatchObject({ state: 'fail', says: expect.stringContaining('the list') })
})

test('a separate API reads raw mail through the worker, if its token is right', async () => {
  const token = 'token-of-the-admin'
  const { workerUrl, dataDir } = await startServer({ ADMIN_TOKEN: token })
  const api = (ADMIN_TOKEN: string) => examine({ DATA_DIR: dataDir, WORKER_URL: workerUrl, ADMIN_TOKEN }, 'api')
  expect((await api(token)).of('bucket')).toMatchObject({ state: 'ok', says: expect.stringContaining(workerUrl) })
  expect((await api('another-token')).of('bucket')).toMatchObject({
    state: 'fail',
    says: expect.stringContaining('401'),
  })
  const without = await examine({ DATA_DIR: dataDir }, 'api')
  expect(without.of('bucket')).toMatchObject({ state: 'warn', advice: expect.stringContaining('WORKER_URL') })
})
