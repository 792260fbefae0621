import type { R2Bucket, R2UploadedPart } from '@cloudflare/workers-types'
import { contentTypeOf } from '../domain/object-keys.ts'
import type { Bucket } from './bucket.ts'
import { createObjectStorageBucket } from './object-storage-bucket.ts'
import { withRetries } from './retries.ts'

/** Less than for S3: Email Routing and the cron wait, and each try is one of the requests that a run is allowed. */
const TIMING = { forMs: 5_000, pauseMs: 250 }
/** R2's numbers for what passes: internal errors, too many requests, unavailable, too many requests for one object. */
const PASSING_CODES = ['10001', '10002', '10029', '10043', '10058']

/** Objects in Cloudflare's R2, through a Worker's binding. R2 has stored what it has answered. */
export function openR2Bucket(binding: R2Bucket, timing = TIMING): Bucket {
  const again = <Result>(call: () => Promise<Result>) => withRetries(call, { ...timing, restOf })

  return createObjectStorageBucket({
    async putObject(key, bytes) {
      await again(() => binding.put(key, bytes, typed(key)))
    },

    async startUpload(key) {
      const upload = await again(() => binding.createMultipartUpload(key, typed(key)))
      const parts: R2UploadedPart[] = []
      return {
        async putPart(number, bytes) {
          parts.push(await again(() => upload.uploadPart(number, bytes)))
        },
        async complete() {
          await upload.complete(parts)
        },
        abort: () => upload.abort(),
      }
    },

    async getObject(key) {
      const object = await again(() => binding.get(key))
      if (!object) return null
      // The same streams, declared twice: once by Cloudflare, once by the web's types.
      return { size: object.size, stream: object.body as unknown as ReadableStream<Uint8Array> }
    },

    async hasObject(key) {
      return (await again(() => binding.head(key))) !== null
    },

    removeObjects: (keys) => again(() => binding.delete(keys)),

    async listKeys({ prefix, after, limit }) {
      const options = { prefix, limit, ...(after === undefined ? {} : { startAfter: after }) }
      const { objects, truncated } = await again(() => binding.list(options))
      return { keys: objects.map(({ key }) => key), hasMore: truncated }
    },
  })
}

/** R2 ends its messages with a number: `put: We encountered an internal error. Please try again. (10001)`. */
function restOf(error: unknown): number | null {
  const code = error instanceof Error ? /\((\d+)\)$/.exec(error.message)?.[1] : undefined
  const hasPassed = code !== undefined && PASSING_CODES.includes(code)
  // Said by workerd when the connection to R2 broke.
  return hasPassed || /network connection lost/i.test(String(error)) ? 0 : null
}

function typed(key: string) {
  return { httpMetadata: { contentType: contentTypeOf(key) } }
}
