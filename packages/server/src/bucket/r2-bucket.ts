import type { R2Bucket, R2UploadedPart } from '@cloudflare/workers-types'
import { contentTypeOf } from '../domain/object-keys.ts'
import type { Bucket } from './bucket.ts'
import { createObjectStorageBucket } from './object-storage-bucket.ts'

/** Objects in Cloudflare's R2, through a Worker's binding. R2 has stored what it has answered. */
export function openR2Bucket(binding: R2Bucket): Bucket {
  return createObjectStorageBucket({
    async putObject(key, bytes) {
      await binding.put(key, bytes, typed(key))
    },

    async startUpload(key) {
      const upload = await binding.createMultipartUpload(key, typed(key))
      const parts: R2UploadedPart[] = []
      return {
        async putPart(number, bytes) {
          parts.push(await upload.uploadPart(number, bytes))
        },
        async complete() {
          await upload.complete(parts)
        },
        abort: () => upload.abort(),
      }
    },

    async getObject(key) {
      const object = await binding.get(key)
      if (!object) return null
      // The same streams, declared twice: once by Cloudflare, once by the web's types.
      return { size: object.size, stream: object.body as unknown as ReadableStream<Uint8Array> }
    },

    async hasObject(key) {
      return (await binding.head(key)) !== null
    },

    removeObjects: (keys) => binding.delete(keys),

    async listKeys({ prefix, after, limit }) {
      const { objects, truncated } = await binding.list({
        prefix,
        limit,
        ...(after === undefined ? {} : { startAfter: after }),
      })
      return { keys: objects.map(({ key }) => key), hasMore: truncated }
    },
  })
}

function typed(key: string) {
  return { httpMetadata: { contentType: contentTypeOf(key) } }
}
