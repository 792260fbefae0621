import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bytesOf, type Bucket } from '../../bucket/bucket.ts'
import { openEmbeddedBucketBeside } from '../../bucket/embedded-bucket.ts'
import { openFolderBucket } from '../../bucket/folder-bucket.ts'
import { remoteObjects } from '../../bucket/remote-objects.ts'
import { openS3Bucket } from '../../bucket/s3-bucket.ts'
import type { S3Location } from '../../bucket/s3-location.ts'
import { reasonOf } from '../../domain/reason.ts'
import type { Config } from '../../program/config.ts'
import { fail, ok, skip, warn, type Figures, type Finding } from '../finding.ts'
import { isInboxServed, receivesMail, type Installation } from './installation.ts'

const OBJECT_BYTES = 4_096
/** Of each request to S3. Three attempts of two requests, one of them to remove the object, end within the check's limit. */
const RESPONSE_MS_MAX = 4_000
const S3_TIMEOUTS = { responseMs: RESPONSE_MS_MAX, retryForMs: 0 }
/** A sender waits this long for the storage alone. */
const SLOW_PUT_MS = 1_000

/** A message that no worker has, because no mail arrives for this domain. */
const NO_MESSAGE = { domain: 'doctor.invalid', mailbox: 'doctor', id: randomUUID() }

export async function checkBucket(installation: Installation, signal: AbortSignal): Promise<Finding> {
  const { config } = installation
  const { storage, workerUrl, adminToken } = config
  if (!receivesMail(installation) && workerUrl && adminToken) return checkRemote(workerUrl, adminToken)
  if (storage?.kind === 's3') return checkS3(config, storage.location, signal)
  if (storage?.kind === 'folder') return checkFolder(storage.path)
  if (receivesMail(installation)) return checkEmbedded(config)
  return warn(
    'this API has no access to raw mail',
    'Downloads respond with 404: set INBOX_STORAGE as for the worker, or WORKER_URL and ADMIN_TOKEN.',
  )
}

async function checkRemote(url: string, token: string): Promise<Finding> {
  const startedAt = performance.now()
  const found = await remoteObjects({ url, token, now: Date.now }).raw(NO_MESSAGE)
  await found?.stream.cancel()
  const ms = Math.round(performance.now() - startedAt)
  return ok(`the worker at ${url} gives access to raw mail (${ms} ms)`, { workerMs: ms })
}

async function checkS3(config: Config, location: S3Location, signal: AbortSignal): Promise<Finding> {
  const done = new AbortController()
  const bucket = await openS3Bucket({
    location,
    // Config requires both when the storage is S3.
    credentials: { accessKeyId: config.s3AccessKeyId!, secretAccessKey: config.s3SecretAccessKey! },
    timing: { interactive: S3_TIMEOUTS, background: S3_TIMEOUTS, pauseMs: 250 },
    // A body that never ends would keep the process running.
    fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.any([init.signal!, done.signal, signal]) }),
  })
  try {
    return await roundTrip(bucket, `the bucket ${location.bucket}`)
  } finally {
    done.abort()
  }
}

async function checkFolder(path: string): Promise<Finding> {
  // A worker creates both. Opening the folder would create it.
  if (!existsSync(join(path, '.incoming'))) return skip(`no worker has used ${path} yet`)
  return roundTrip(await openFolderBucket(path, { toPut: false }), path)
}

async function checkEmbedded(config: Config): Promise<Finding> {
  const file = join(config.dataDir, 'inbox.db')
  if (!existsSync(file)) return skip(`${file} does not exist yet: the first start creates it`)
  const log = `${file}-wal`
  // Closing the file would copy its log into it, and the next start would not notice that it has to check it.
  if (!isInboxServed(config) && existsSync(log) && statSync(log).size > 0) {
    return skip(`${file} was not closed cleanly, and the next start checks it`)
  }
  const bucket = openEmbeddedBucketBeside(file)
  // Starts the thread that writes, which is not part of the figures.
  await bucket.remove([])
  return roundTrip(bucket, file)
}

/** Stores, reads, lists and removes an object. Its key is in none of the folders that mail uses. */
export async function roundTrip(bucket: Bucket, name: string): Promise<Finding> {
  const key = `doctor-${randomUUID()}`
  const figures: Figures = {}
  async function timed<Result>(figure: string, work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now()
    const result = await work().catch((error: unknown) => {
      throw new Error(`${name} failed to ${figure} an object: ${reasonOf(error)}`, { cause: error })
    })
    figures[`${figure}Ms`] = Math.round((performance.now() - startedAt) * 10) / 10
    return result
  }
  let problem: string | null
  try {
    problem = await useObject(bucket, key, timed)
  } catch (error) {
    problem = reasonOf(error)
  }
  const leftover = await timed('remove', () => bucket.remove([key])).then(() => null, reasonOf)
  await bucket.close()
  if (leftover !== null) {
    const says = problem === null ? leftover : `${problem}; ${leftover}`
    return fail(says, `Delete the object ${key} yourself. The key needs permission to delete objects.`, figures)
  }
  if (problem !== null) return fail(problem, 'Check the permissions of the key and the state of the storage.', figures)
  const says = `${name}: ${Object.entries(figures)
    .map(([figure, ms]) => `${figure.slice(0, -'Ms'.length)} ${ms} ms`)
    .join(', ')}`
  if (figures['putMs']! > SLOW_PUT_MS) return warn(says, 'Every mail waits for this before it is accepted.', figures)
  return ok(says, figures)
}

type Timed = <Result>(figure: string, work: () => Promise<Result>) => Promise<Result>

/** Null if everything is as it should be. */
async function useObject(bucket: Bucket, key: string, timed: Timed): Promise<string | null> {
  const body = randomBytes(OBJECT_BYTES)
  await timed('put', () => bucket.put([{ key, body }], { keysAreNew: true }))
  const read = await timed('get', async () => {
    const object = await bucket.get(key)
    return object && bytesWithin(bytesOf(object))
  })
  if (read === null) return 'the object cannot be read after it was stored'
  if (!body.equals(read)) return 'the object has other bytes than those that were stored'
  const { keys } = await timed('list', () => bucket.list({ prefix: key, limit: 1 }))
  return keys.includes(key) ? null : 'the list does not have the object after it was stored'
}

/** The limit of a response covers only its headers. */
async function bytesWithin(reading: Promise<Uint8Array>): Promise<Uint8Array> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('the object did not arrive in time')), RESPONSE_MS_MAX)
  try {
    return await Promise.race([reading, late.promise])
  } finally {
    clearTimeout(timer)
    // Rejects after the connection is closed.
    reading.catch(() => {})
  }
}
