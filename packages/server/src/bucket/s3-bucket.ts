import { inGroups } from '../domain/in-groups.ts'
import { reasonOf } from '../domain/reason.ts'
import { contentTypeOf } from '../domain/object-keys.ts'
import { createSemaphore } from '../domain/semaphore.ts'
import type { Bucket } from './bucket.ts'
import { createObjectStorageBucket, type KeyList, type ObjectCalls, type Upload } from './object-storage-bucket.ts'
import { createS3Client, S3Error, sha256, type S3Client, type S3Options } from './s3-client.ts'
import type { S3Location } from './s3-location.ts'
import { childrenOf, escapeXml, textOf, type XmlElement } from './s3-xml.ts'

/** Each takes up to 16 MiB, because a part of 5 MiB is copied when it is sent. A worker may have 2,000 connections. */
const LARGE_AT_ONCE_MAX = 8
/** Where the server cannot delete many keys in one call. */
const DELETIONS_AT_ONCE = 8
/** Responses of servers that do not support bulk deletion, or not with our checksum. */
const NO_BULK_STATUSES = [400, 405, 411, 501]

/** Objects in any S3-compatible storage. Its 200 is the acknowledgement. Fails at once if the bucket cannot be read. */
export async function openS3Bucket(options: S3Options): Promise<Bucket> {
  const { location } = options
  const client = createS3Client(options)
  const removeObjects = createBulkDeletion(client, location)
  await checkBucket(client, location)

  const calls: ObjectCalls = {
    async putObject(key, body) {
      await client.call({ method: 'PUT', key, headers: typed(key), body })
    },

    startUpload: (key) => startUpload(client, key),

    async getObject(key) {
      const response = await client.open({ method: 'GET', key }).catch(ignoreAbsent)
      if (!response) return null
      const size = Number(response.headers.get('content-length') ?? Number.NaN)
      if (!response.body || !Number.isSafeInteger(size))
        throw new Error('The storage returned an object without its length.')
      return { size, stream: response.body }
    },

    async hasObject(key) {
      return Boolean(await client.call({ method: 'HEAD', key }).catch(ignoreAbsent))
    },

    removeObjects,

    listKeys: (page) => listKeys(client, location, page),
  }
  return createObjectStorageBucket(calls, createSemaphore(LARGE_AT_ONCE_MAX))
}

async function checkBucket(client: S3Client, location: S3Location): Promise<void> {
  try {
    await listKeys(client, location, { prefix: '', after: undefined, limit: 1 })
  } catch (cause) {
    const reason = reasonOf(cause)
    throw new Error(`The S3 bucket ${location.bucket} at ${location.url} cannot be used. ${reason}`, { cause })
  }
}

function typed(key: string): Record<string, string> {
  return { 'content-type': contentTypeOf(key) }
}

async function startUpload(client: S3Client, key: string): Promise<Upload> {
  const started = await client.callForXml({ method: 'POST', key, query: { uploads: '' }, headers: typed(key) })
  const uploadId = textOf(started, 'UploadId')
  if (!uploadId) throw new Error('The storage started an upload without an id.')
  const parts: string[] = []
  return {
    async putPart(number, body) {
      const headers = await client.call({ method: 'PUT', key, query: { partNumber: String(number), uploadId }, body })
      const tag = escapeXml(headers.get('etag') ?? '')
      parts.push(`<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag></Part>`)
    },
    async complete() {
      const body = encode(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
      await client.callForXml({ method: 'POST', key, query: { uploadId }, body })
    },
    async abort() {
      await client.call({ method: 'DELETE', key, query: { uploadId } })
    },
  }
}

type KeyRange = { prefix: string; after: string | undefined; limit: number }

async function listKeys(client: S3Client, location: S3Location, { prefix, after, limit }: KeyRange): Promise<KeyList> {
  const response = await client.callForXml({
    method: 'GET',
    query: {
      'list-type': '2',
      'max-keys': String(limit),
      'encoding-type': 'url',
      prefix: `${location.prefix}${prefix}`,
      ...(after === undefined ? {} : { 'start-after': `${location.prefix}${after}` }),
    },
  })
  if (response.name !== 'ListBucketResult') throw new Error(`The storage responded to a list with ${response.name}.`)
  const isEncoded = textOf(response, 'EncodingType') === 'url'
  const keys = childrenOf(response, 'Contents').map((element) =>
    keyOf(element, isEncoded).slice(location.prefix.length),
  )
  return { keys, hasMore: textOf(response, 'IsTruncated') === 'true' }
}

function keyOf(element: XmlElement, isEncoded: boolean): string {
  const text = textOf(element, 'Key')
  if (!text) throw new Error('The storage listed an object without a key.')
  // Form encoding: some servers write a space as a plus sign.
  return isEncoded ? decodeURIComponent(text.replaceAll('+', '%20')) : text
}

/** Deletes many keys in one call if the server supports it, otherwise one by one. */
function createBulkDeletion(client: S3Client, location: S3Location): (keys: string[]) => Promise<void> {
  let supportsBulk = true

  async function removeEach(keys: string[]): Promise<void> {
    await inGroups(keys, DELETIONS_AT_ONCE, (key) => client.call({ method: 'DELETE', key }).catch(ignoreAbsent))
  }

  /** Returns the keys that the server could not delete. */
  async function removeMany(keys: string[]): Promise<string[]> {
    const objects = keys.map((key) => `<Object><Key>${escapeXml(location.prefix + key)}</Key></Object>`)
    const body = encode(`<Delete>${objects.join('')}<Quiet>true</Quiet></Delete>`)
    // S3 requires a checksum here. Web Crypto has no MD5, which older servers expect.
    const headers = { 'x-amz-checksum-sha256': base64(await sha256(body)), 'x-amz-sdk-checksum-algorithm': 'SHA256' }
    const response = await client.callForXml({ method: 'POST', query: { delete: '' }, headers, body })
    return childrenOf(response, 'Error').map((element) => keyOf(element, false).slice(location.prefix.length))
  }

  return async (keys) => {
    if (!supportsBulk || keys.length === 1) return removeEach(keys)
    const left = await removeMany(keys).catch((error: unknown) => {
      if (!(error instanceof S3Error) || !NO_BULK_STATUSES.includes(error.status)) throw error
      supportsBulk = false
      return keys
    })
    // Retries the remaining keys one by one; a failure then names the reason.
    await removeEach(left)
  }
}

function ignoreAbsent(error: unknown): null {
  if (error instanceof S3Error && error.status === 404 && error.code !== 'NoSuchBucket') return null
  throw error
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}
