import type { ForwardableEmailMessage, R2Bucket } from '@cloudflare/workers-types'

export const CHUNK_BYTES = 64 * 1024

type Given = { to: string; raw: Uint8Array; from?: string; rawSize?: number }

/** A mail as Cloudflare passes it to the handler, and its result. */
export function routedMail({ to, raw, from = 'app@shop.example', rawSize = raw.byteLength }: Given) {
  const seen = { pulledBytes: 0, rejection: null as string | null }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = raw.slice(seen.pulledBytes, seen.pulledBytes + CHUNK_BYTES)
        seen.pulledBytes += chunk.byteLength
        if (chunk.byteLength > 0) controller.enqueue(chunk)
        else controller.close()
      },
    },
    // Reads only what is requested.
    { highWaterMark: 0 },
  )
  const setReject = (reason: string) => void (seen.rejection = reason)
  // The handler uses only this part of it.
  const message = { from, to, raw: stream, rawSize, setReject } as unknown as ForwardableEmailMessage
  return { message, seen }
}

/** Work that a handler leaves running after its response. */
export function collectingContext() {
  const running: Promise<unknown>[] = []
  return {
    context: { waitUntil: (work: Promise<unknown>) => void running.push(work) },
    finished: () => Promise.all(running),
  }
}

/** A real binding with our code around writes. `bytes` is null for the start and end of an upload. */
export function watchedBinding(
  binding: R2Bucket,
  write: (key: string, bytes: Uint8Array | null, store: () => Promise<unknown>) => Promise<unknown>,
): R2Bucket {
  const watched = {
    get: (key: string) => binding.get(key),
    head: (key: string) => binding.head(key),
    list: (options: object) => binding.list(options),
    delete: (keys: string | string[]) => binding.delete(keys),
    put: (key: string, bytes: Uint8Array) => write(key, bytes, () => binding.put(key, bytes)),
    async createMultipartUpload(key: string) {
      const upload = await binding.createMultipartUpload(key)
      return {
        uploadPart: (number: number, bytes: Uint8Array) => write(key, bytes, () => upload.uploadPart(number, bytes)),
        complete: (parts: never[]) => write(key, null, () => upload.complete(parts)),
        abort: () => upload.abort(),
      }
    },
  }
  // All methods of a binding that the bucket uses.
  return watched as unknown as R2Bucket
}
