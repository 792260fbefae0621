import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { R2Bucket } from '@cloudflare/workers-types'
import { createTestHarness } from 'wrangler'
import { openR2Bucket } from '../../src/bucket/r2-bucket.ts'
import { openS3Bucket } from '../../src/bucket/s3-bucket.ts'
import { parseS3Location } from '../../src/bucket/s3-location.ts'
import { parseXml, textOf } from '../../src/bucket/s3-xml.ts'
import { faultyBinding, faultyFetch } from './faulty-storage.ts'
import type { FaultSource } from './step-faults.ts'

export const S3_CREDENTIALS = { accessKeyId: 'key-of-the-tests', secretAccessKey: 'secret-of-the-tests' }

/** Three attempts with hardly any delay. */
const QUICK_R2 = { forMs: 0, pauseMs: 1 }
function quickS3(responseMs: number) {
  const timeouts = { responseMs, retryForMs: 0 }
  return { interactive: timeouts, background: timeouts, pauseMs: 1 }
}

/** Enough for every test of a file to have an empty one. */
const BUCKETS = 80

/**
 * Puts and lists inside workerd. The harness would return proxies that request each field separately: seconds for a page
 * of keys.
 */
const WORKER = `export default {
  async fetch(request, bindings) {
    const { searchParams } = new URL(request.url)
    const bucket = bindings[searchParams.get('bucket')]
    if (request.method === 'PUT') {
      await bucket.put(searchParams.get('key'), await request.arrayBuffer())
      return new Response('')
    }
    const { objects, truncated } = await bucket.list(await request.json())
    return Response.json({ objects: objects.map(({ key }) => ({ key })), truncated })
  },
}`

/**
 * Real R2 buckets in workerd, and the same buckets over HTTP through S3's API, where signatures are checked. Comes
 * with wrangler from npm and needs no network; the caller closes it.
 */
export async function startObjectStorage() {
  // Otherwise it would ask Cloudflare where this machine is.
  process.env['CLOUDFLARE_CF_FETCH_ENABLED'] = 'false'
  const root = await mkdtemp(join(tmpdir(), 'mailhatch-r2-'))
  writeFileSync(join(root, 'worker.js'), WORKER)
  const names = Array.from({ length: BUCKETS }, (_, index) => `bucket-${index}`)
  const harness = createTestHarness({
    root,
    workers: [
      {
        config: {
          name: 'storage',
          main: './worker.js',
          compatibility_date: '2026-10-01',
          r2_buckets: names.map((name) => ({
            binding: name,
            bucket_name: name,
            local_dev: { experimental_s3_credentials: S3_CREDENTIALS },
          })),
        },
      },
    ],
  })
  const { url } = await harness.listen()
  const bindings = await harness.getWorker<Record<string, R2Bucket>>().getEnv()

  return {
    /** A bucket that was not used before. */
    newBucket() {
      const name = names.pop()!
      const ask = async (method: 'PUT' | 'POST', parameters: Record<string, string>, body: BodyInit) => {
        const query = new URLSearchParams({ bucket: name, ...parameters })
        const response = await fetch(`${url.origin}/?${query}`, { method, body })
        if (!response.ok) throw new Error(`The storage failed to ${method}: ${await response.text()}`)
        return response
      }
      return {
        binding: bindings[name]!,
        s3Url: `s3://${name}?endpoint=${url.origin}/cdn-cgi/local/r2/s3`,
        /** The methods of the binding, without the harness. */
        put: async (key: string, bytes: Uint8Array) => {
          // Never shared memory, which the types allow and a body does not.
          await ask('PUT', { key }, bytes as Uint8Array<ArrayBuffer>)
        },
        list: async (options: object): Promise<unknown> => (await ask('POST', {}, JSON.stringify(options))).json(),
      }
    },
    async close() {
      await harness.close()
      await rm(root, { recursive: true, force: true })
    },
  }
}

export type ObjectStorage = Awaited<ReturnType<typeof startObjectStorage>>

/** What the contract suite observes of the storage from outside the bucket. */
export function r2Place(storage: ObjectStorage, faultOf: FaultSource = () => null) {
  const { binding, put, list } = storage.newBucket()
  const uploads: { key: string; uploadId: string }[] = []
  let storedBytes = 0
  const watched = {
    ...passOn(binding),
    list,
    async put(key: string, bytes: Uint8Array) {
      await put(key, bytes)
      storedBytes += bytes.byteLength
    },
    async createMultipartUpload(key: string) {
      const upload = await binding.createMultipartUpload(key)
      uploads.push({ key, uploadId: upload.uploadId })
      return {
        async uploadPart(number: number, bytes: Uint8Array) {
          const part = await upload.uploadPart(number, bytes)
          storedBytes += bytes.byteLength
          return part
        },
        complete: upload.complete.bind(upload),
        abort: upload.abort.bind(upload),
      }
    },
  }
  return {
    // The bucket uses only this part of the binding.
    open: () => openR2Bucket(faultyBinding(watched as unknown as R2Bucket, faultOf), QUICK_R2),
    storedBytes: () => storedBytes,
    unfinishedUploads: () => findUnfinished(binding, uploads),
  }
}

/** `responseMs` is how long the client waits for a response. */
export function s3Place(storage: ObjectStorage, faultOf: FaultSource = () => null, responseMs = 60_000) {
  const { binding, s3Url } = storage.newBucket()
  const location = parseS3Location(s3Url)
  const uploads: { key: string; uploadId: string }[] = []
  let storedBytes = 0
  const watchedFetch = async (url: URL, init: RequestInit) => {
    const response = await fetch(url, init)
    if (response.ok && init.method === 'PUT') storedBytes += (init.body as Uint8Array).byteLength
    if (response.ok && url.search === '?uploads=') {
      const started = parseXml(await response.clone().text())
      uploads.push({ key: textOf(started, 'Key')!, uploadId: textOf(started, 'UploadId')! })
    }
    return response
  }
  return {
    open: () =>
      openS3Bucket({
        location,
        credentials: S3_CREDENTIALS,
        fetch: faultyFetch(watchedFetch, faultOf),
        timing: quickS3(responseMs),
      }),
    storedBytes: () => storedBytes,
    unfinishedUploads: () => findUnfinished(binding, uploads),
  }
}

/** The methods as they are, for a binding whose methods cannot be spread. */
function passOn(binding: R2Bucket): Pick<R2Bucket, 'delete' | 'get' | 'head'> {
  return {
    // Over the harness's own connection, which it may find closed after some idle seconds; to delete twice is the same.
    delete: (keys) => binding.delete(keys).catch(() => binding.delete(keys)),
    get: binding.get.bind(binding),
    head: binding.head.bind(binding),
  }
}

/** An upload that still accepts a part is neither completed nor aborted. */
export async function findUnfinished(
  binding: R2Bucket,
  uploads: { key: string; uploadId: string }[],
): Promise<string[]> {
  const found: string[] = []
  for (const { key, uploadId } of uploads) {
    const upload = binding.resumeMultipartUpload(key, uploadId)
    const takesPart = upload.uploadPart(1, new Uint8Array(1)).then(
      () => true,
      () => false,
    )
    if (await takesPart) found.push(key)
  }
  return found
}
