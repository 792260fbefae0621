import * as nodeFiles from 'node:fs/promises'
import type { Bucket } from '../bucket/bucket.ts'
import { openEmbeddedBucket } from '../bucket/embedded-bucket.ts'
import { openFolderBucket } from '../bucket/folder-bucket.ts'
import { objectsIn, type MessageObjects } from '../bucket/message-objects.ts'
import { remoteObjects } from '../bucket/remote-objects.ts'
import { openS3Bucket } from '../bucket/s3-bucket.ts'
import type { S3Location } from '../bucket/s3-location.ts'
import type { Config } from './config.ts'
import { dataFile } from './data-folder.ts'
import { meteredFiles } from './metered.ts'
import type { Meters } from '../observe/meters.ts'
import { databaseFileBytes } from '../sqlite/file-size.ts'
import { lockFolder } from '../sqlite/lock.ts'

export type LockedBucket = { bucket: Bucket; close(): Promise<void> }

/** Opens the bucket and locks it for one worker. */
export async function openLockedBucket(config: Config, meters: Meters | null): Promise<LockedBucket> {
  const lock = lockFolder(dataFile(config, 'inbox-lock.db'), 'The inbox')
  const bucket = await openBucket(config, meters).catch((error: unknown) => {
    lock.release()
    throw error
  })
  return {
    bucket,
    async close() {
      await bucket.close()
      lock.release()
    },
  }
}

/** Access of a separate API to the worker's bucket: through its admin API, a shared folder or S3. Null without any. */
export async function openSharedObjects(config: Config): Promise<MessageObjects | null> {
  const { storage, workerUrl, adminToken } = config
  if (workerUrl && adminToken) return remoteObjects({ url: workerUrl, token: adminToken, now: Date.now })
  if (storage?.kind === 's3') return objectsIn(await openS3(config, storage.location))
  return storage?.kind === 'folder' ? objectsIn(await openFolderBucket(storage.path, { toPut: false })) : null
}

async function openBucket(config: Config, meters: Meters | null): Promise<Bucket> {
  if (config.storage?.kind === 'folder') {
    return openFolderBucket(config.storage.path, { files: meteredFiles(nodeFiles, meters) })
  }
  if (config.storage?.kind === 's3') return openS3(config, config.storage.location)
  const path = dataFile(config, 'inbox.db')
  meters?.watch('mailhatch_bucket_size_bytes', () => databaseFileBytes(path))
  return openEmbeddedBucket(path, { onCommit: (ms) => meters?.synced('bucket', ms / 1000) })
}

function openS3({ s3AccessKeyId, s3SecretAccessKey }: Config, location: S3Location): Promise<Bucket> {
  // Config requires both when the storage is S3.
  return openS3Bucket({ location, credentials: { accessKeyId: s3AccessKeyId!, secretAccessKey: s3SecretAccessKey! } })
}
