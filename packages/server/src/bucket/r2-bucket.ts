import type { R2Bucket, R2UploadedPart } from '@cloudflare/workers-types'
import { contentTypeOf } from '../domain/object-keys.ts'
import type { Bucket } from './bucket.ts'
import { createObjectStorageBucket } from './object-storage-bucket.ts'
import { withRetries } from './retries.ts'

/** Shorter than for S3: Email Routing and the cron trigger wait, and each attempt is one of the allowed requests. */
const TIMING = { forMs: 5_000, pauseMs: 250 }
/** R2's codes for temporary errors: internal error, too many requests, unavailable, too many requests for one object. */
const TEMPORARY_CODES = ['10001', '10002', '10029', '10043', '10058']

/** Objects in Cloudflare R2, accessed through a Worker binding. Once R2 responds, the object is stored. */
export function openR2Bucket(binding: R2Bucket, timing = TIMING): Bucket {
  const retried = <Result>(call: () => Promise<Result>) => withRetries(call, { ...timing, retryAfterOf })

  return createObjectStorageBucket({
    async putObject(key, bytes) {
      await retried(() => binding.put(key, bytes, typed(key)))
    },

    async startUpload(key) {
      const upload = await retried(() => binding.createMultipartUpload(key, typed(key)))
      const parts: R2UploadedPart[] = []
      return {
        async putPart(number, bytes) {
          parts.push(await retried(() => upload.uploadPart(number, bytes)))
        },
        async complete() {
          await upload.complete(parts)
        },
        abort: () => upload.abort(),
      }
    },

    async getObject(key) {
      const object = await retried(() => binding.get(key))
      if (!object) return null
      // Cloudflare and the DOM types declare the same stream separately.
      return { size: object.size, stream: object.body as unknown as ReadableStream<Uint8Array> }
    },

    async hasObject(key) {
      return (await retried(() => binding.head(key))) !== null
    },

    removeObjects: (keys) => retried(() => binding.delete(keys)),

    async listKeys({ prefix, after, limit }) {
      const options = { prefix, limit, ...(after === undefined ? {} : { startAfter: after }) }
      const { objects, truncated } = await retried(() => binding.list(options))
      return { keys: objects.map(({ key }) => key), hasMore: truncated }
    },
  })
}

/** R2 ends its messages with a code: `put: We encountered an internal error. Please try again. (10001)`. */
function retryAfterOf(error: unknown): number | null {
  const code = error instanceof Error ? /\((\d+)\)$/.exec(error.message)?.[1] : undefined
  const isTemporary = code !== undefined && TEMPORARY_CODES.includes(code)
  // The message of workerd when the connection to R2 breaks.
  return isTemporary || /network connection lost/i.test(String(error)) ? 0 : null
}

function typed(key: string) {
  return { httpMetadata: { contentType: contentTypeOf(key) } }
}
