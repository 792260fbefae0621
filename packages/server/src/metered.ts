import type { Bucket } from './bucket/bucket.ts'
import type { TakeIn } from './intake/take-in.ts'
import type { Meters } from './meters.ts'
import type { MailParser } from './mime/mail-parser.ts'
import type { Attempt } from './notify/attempt.ts'

// Each gives back what it is given, counted where there are meters.

export function meteredTakeIn(takeIn: TakeIn, meters: Meters | null): TakeIn {
  if (!meters) return takeIn
  return async (announcement) => {
    try {
      const taken = await takeIn(announcement)
      meters.announced(taken.status)
      return taken
    } catch (error) {
      meters.announced('refused')
      throw error
    }
  }
}

export function meteredAttempt(attempt: Attempt, meters: Meters | null): Attempt {
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
