import type { Bucket } from '../bucket/bucket.ts'
import type { AcceptAnnouncement } from '../intake/accept-announcement.ts'
import type { Meters } from '../observe/meters.ts'
import type { MailParser } from '../mime/mail-parser.ts'
import type { SendAttempt } from '../notify/attempt.ts'

// Each wraps its first argument and counts calls; without meters it returns the argument unchanged.

export function meteredAcceptance(acceptAnnouncement: AcceptAnnouncement, meters: Meters | null): AcceptAnnouncement {
  if (!meters) return acceptAnnouncement
  return async (announcement) => {
    try {
      const taken = await acceptAnnouncement(announcement)
      meters.announced(taken.status)
      return taken
    } catch (error) {
      meters.announced('refused')
      throw error
    }
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
      const parsed = await parser.parse(content)
      meters.parsed(parsed.parse)
      return parsed
    },
  }
}

export function meteredBucket(bucket: Bucket, meters: Meters | null): Bucket {
  if (!meters) return bucket
  return {
    ...bucket,
    async put(objects, options) {
      const startedAt = performance.now()
      await bucket.put(objects, options)
      meters.put((performance.now() - startedAt) / 1000)
    },
  }
}
