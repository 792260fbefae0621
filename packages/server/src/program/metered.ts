import type { Bucket } from '../bucket/bucket.ts'
import type { Files } from '../bucket/folder-bucket.ts'
import { AppError } from '../domain/errors.ts'
import type { AcceptAnnouncement } from '../intake/accept-announcement.ts'
import type { Meters } from '../observe/meters.ts'
import type { MailParser } from '../mime/mail-parser.ts'
import type { SendAttempt } from '../notify/attempt.ts'
import type { Post } from '../worker/announce.ts'

// Each wraps its first argument and counts calls; without meters it returns the argument unchanged.

export function meteredAcceptance(acceptAnnouncement: AcceptAnnouncement, meters: Meters | null): AcceptAnnouncement {
  if (!meters) return acceptAnnouncement
  return async (announcement) => {
    const elapsedSeconds = startTimer()
    try {
      const taken = await acceptAnnouncement(announcement)
      meters.announced(taken.status)
      return taken
    } catch (error) {
      meters.announced(error instanceof AppError ? 'refused' : 'failed')
      if (error instanceof AppError) meters.intakeRefused(error.code)
      throw error
    } finally {
      meters.intake(elapsedSeconds())
    }
  }
}

/** By the worker's clock alone: those of two machines differ. */
export function meteredPost(post: Post, meters: Meters | null, now: () => number): Post {
  if (!meters) return post
  return async (announcement) => {
    const response = await post(announcement)
    const isReadable = response.status >= 200 && response.status < 300
    if (isReadable) meters.readable(Math.max(0, now() - Date.parse(announcement.receivedAt)) / 1000)
    return response
  }
}

export function meteredAttempt(attempt: SendAttempt, meters: Meters | null): SendAttempt {
  if (!meters) return attempt
  return async (endpoint, event) => {
    const result = await attempt(endpoint, event)
    meters.attempted(result.error === null ? 'delivered' : 'failed')
    return result
  }
}

export function meteredParser(parser: MailParser, meters: Meters | null): MailParser {
  if (!meters) return parser
  return {
    ...parser,
    async parse(content) {
      const elapsedSeconds = startTimer()
      const parsed = await parser.parse(content)
      meters.parsed(parsed.parse, elapsedSeconds())
      return parsed
    },
  }
}

export function meteredBucket(bucket: Bucket, meters: Meters | null): Bucket {
  if (!meters) return bucket
  return {
    ...bucket,
    async put(objects, options) {
      const elapsedSeconds = startTimer()
      await bucket.put(objects, options)
      meters.put(elapsedSeconds())
    },
  }
}

export function meteredFiles(files: Files, meters: Meters | null): Files {
  if (!meters) return files
  return {
    ...files,
    async open(...given) {
      const handle = await files.open(...given)
      const sync = handle.sync.bind(handle)
      handle.sync = async () => {
        const elapsedSeconds = startTimer()
        await sync()
        meters.synced('bucket', elapsedSeconds())
      }
      return handle
    },
  }
}

function startTimer(): () => number {
  const startedAt = performance.now()
  return () => (performance.now() - startedAt) / 1000
}
