import { contentTypeOf } from '../domain/object-keys.ts'
import { createTurns } from '../domain/turns.ts'
import type { Bucket } from './bucket.ts'
import { createObjectStorageBucket, type KeyList, type ObjectCalls, type Upload } from './object-storage-bucket.ts'
import { createS3Client, S3Error, sha256, type S3Client, type S3Options } from './s3-client.ts'
import type { S3Location } from './s3-location.ts'
import { childrenOf, escapeXml, textOf, type XmlElement } from './s3-xml.ts'

/** Each takes up to 16 MiB, as a part of 5 MiB is copied on its way out; a worker may have 2,000 connections. */
const LARGE_AT_ONCE_MAX = 8
/** Where keys have to be removed one by one. */
const REMOVALS_AT_ONCE = 8
/** How servers say that they do not remove many at once, or not with the checksum that we can give. */
const NOT_MANY_STATUSES = [400, 405, 411, 501]

/** Objects in any storage that speaks S3. Its 200 is the acknowledgement. Fails at once if the bucket cannot be read. */
export async function openS3Bucket(options: S3Options): Promise<Bucket> {
  const { location } = options
  const client = createS3Client(options)
  const removeObjects = createRemoval(client, location)
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
        throw new Error('The storage did not say how long an object is.')
      return { size, stream: response.body }
    },

    async hasObject(key) {
      return Boolean(await client.call({ method: 'HEAD', key }).catch(ignoreAbsent))
    },

    removeObjects,

    listKeys: (page) => listKeys(client, location, page),
  }
  return createObjectStorageBucket(calls, createTurns(LARGE_AT_ONCE_MAX))
}

async function checkBucket(client: S3Client, location: S3Location): Promise<void> {
  try {
    await listKeys(client, location, { prefix: '', after: undefined, limit: 1 })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`The S3 bucket ${location.bucket} at ${location.url} cannot be used. ${reason}`, { cause })
  }
}

function typed(key: string): Record<string, string> {
  return { 'content-type': contentTypeOf(key) }
}

async function startUpload(client: S3Client, key: string): Promise<Upload> {
  const started = await client.callForXml({ method: 'POST', key, query: { uploads: '' }, headers: typed(key) })
  const uploadId = textOf(started, 'UploadId')
  if (!uploadId) throw new Error('The storage began an upload without an id.')
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
  const answer = await client.callForXml({
    method: 'GET',
    query: {
      'list-type': '2',
      'max-keys': String(limit),
      'encoding-type': 'url',
      prefix: `${location.prefix}${prefix}`,
      ...(after === undefined ? {} : { 'start-after': `${location.prefix}${after}` }),
    },
  })
  if (answer.name !== 'ListBucketResult') throw new Error(`The storage answered a list with ${answer.name}.`)
  const isEncoded = textOf(answer, 'EncodingType') === 'url'
  const keys = childrenOf(answer, 'Contents').map((element) => keyOf(element, isEncoded).slice(location.prefix.length))
  return { keys, hasMore: textOf(answer, 'IsTruncated') === 'true' }
}

function keyOf(element: XmlElement, isEncoded: boolean): string {
  const text = textOf(element, 'Key')
  if (!text) throw new Error('The storage listed an object without a key.')
  // Encoded as in forms: some write a space as a plus sign.
  return isEncoded ? decodeURIComponent(text.replaceAll('+', '%20')) : text
}

/** Many at once where the server does that, else one by one. */
function createRemoval(client: S3Client, location: S3Location): (keys: string[]) => Promise<void> {
  let takesMany = true

  async function removeEach(keys: string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += REMOVALS_AT_ONCE) {
      const some = keys.slice(start, start + REMOVALS_AT_ONCE)
      await Promise.all(some.map((key) => client.call({ method: 'DELETE', key }).catch(ignoreAbsent)))
    }
  }

  /** Those that the server could not remove. */
  async function removeMany(keys: string[]): Promise<string[]> {
    const objects = keys.map((key) => `<Object><Key>${escapeXml(location.prefix + key)}</Key></Object>`)
    const body = encode(`<Delete>${objects.join('')}<Quiet>true</Quiet></Delete>`)
    // S3 wants a checksum here. MD5, which servers took first, is not among those that the web offers.
    const headers = { 'x-amz-checksum-sha256': base64(await sha256(body)), 'x-amz-sdk-checksum-algorithm': 'SHA256' }
    const answer = await client.callForXml({ method: 'POST', query: { delete: '' }, headers, body })
    return childrenOf(answer, 'Error').map((element) => keyOf(element, false).slice(location.prefix.length))
  }

  return async (keys) => {
    if (!takesMany || keys.length === 1) return removeEach(keys)
    const left = await removeMany(keys).catch((error: unknown) => {
      if (!(error instanceof S3Error) || !NOT_MANY_STATUSES.includes(error.status)) throw error
      takesMany = false
      return keys
    })
    // What is left is tried again one by one; that says why when it fails.
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
