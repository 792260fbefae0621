import type { ExecutionContext, ForwardableEmailMessage, ScheduledController } from '@cloudflare/workers-types'
import type { StoredObject } from './bucket/bucket.ts'
import { openR2Bucket } from './bucket/r2-bucket.ts'
import { createConsoleLog } from './console-log.ts'
import { parseStart, readStart } from './mime/mail-prefix.ts'
import { metadataKey } from './domain/object-keys.ts'
import type { ParsedMail } from './mime/parse-mail.ts'
import { newId, secureRandom } from './random.ts'
import { announceOnce } from './worker/announce-once.ts'
import { announceStored, type Tries } from './worker/announce-stored.ts'
import type { Announcer } from './worker/announcer.ts'
import { readSettings, type Bindings } from './worker/cloudflare-settings.ts'
import { takeRoutedMail, type RoutedMail } from './worker/email-worker.ts'
import { createRecentResults } from './worker/recent-results.ts'
import { RECEIVING_MS_MAX, searchFromKeptPlace } from './worker/raw-search.ts'
import { sweep } from './worker/sweep.ts'
import { takenLately } from './worker/taken-lately.ts'
import { readWayTrouble } from './worker/way-trouble-object.ts'
import { createWorkerApp } from './worker/worker-app.ts'

type Context = Pick<ExecutionContext, 'waitUntil'>

/** A run that has announced more has used up most of the requests that Cloudflare allows it. */
const ANNOUNCEMENTS_BEFORE_SEARCH_MAX = 50

/** Looks at what was taken lately, in one run: each takes some 30 requests. */
const LOOKS_MAX = 10

const log = createConsoleLog()
const now = () => Date.now()

/** The inbox worker on Cloudflare: Email Routing calls `email`, people and the API `fetch`, the clock `scheduled`. */
export default {
  async email(message: ForwardableEmailMessage, bindings: Bindings, context: Context): Promise<void> {
    const { bucket, post, tries, rootDomain } = assemble(bindings)
    const announcer: Pick<Announcer, 'offer'> | null = post && {
      // Beside the answer to the sender: the mail is stored, and the sweep repeats what fails.
      offer: (metadata, announcement) =>
        context.waitUntil(announceOnce({ bucket, post, tries, now, log }, { metadata, announcement })),
    }
    // The same stream, declared twice: once by Cloudflare, once by the web's types.
    await takeRoutedMail({ bucket, announcer, rootDomain, newId, now }, message as unknown as RoutedMail)
  },

  async scheduled(_: ScheduledController, bindings: Bindings): Promise<void> {
    const { bucket, post, tries, announce, report, rootDomain, refusedMailDays, timeoutMs } = assemble(bindings)
    if (!post || !announce || !report) return
    const announceStored = (key: string) => announce(key)
    const settings = { refusedMailDays, firstAttemptMs: timeoutMs }
    const run = await sweep({ bucket, announceStored, report, ...settings, now, random: secureRandom, log })
    if (run.processed + run.failed > ANNOUNCEMENTS_BEFORE_SEARCH_MAX) return
    const announced: Promise<void>[] = []
    const announcer: Pick<Announcer, 'offer'> = {
      offer: (metadata, announcement) =>
        void announced.push(announceOnce({ bucket, post, tries, now, log }, { metadata, announcement })),
    }
    const settledBefore = () => now() - RECEIVING_MS_MAX
    await searchFromKeptPlace({ bucket, parse, announcer, rootDomain, settledBefore, log }, now)
    await Promise.all(announced)
  },

  async fetch(request: Request, bindings: Bindings): Promise<Response> {
    const { bucket, announce, admin: settings } = assemble(bindings)
    const announceNow = announce && ((key: string) => announce(key, true))
    // Nothing here runs between requests: what the last sweep found is all that there is, and nothing is counted.
    const findTroubles = async () => {
      const trouble = await readWayTrouble(bucket)
      return trouble === null ? [] : [trouble]
    }
    const ports = { bucket, parse, announceNow, settings, findTroubles, meters: null, now, log }
    return createWorkerApp(ports).fetch(request)
  },
}

function assemble(bindings: Bindings) {
  const settings = readSettings(bindings)
  const { post } = settings
  const bucket = openR2Bucket(bindings.INBOX_STORAGE)
  const results = createRecentResults(now)
  let looks = 0
  const tries: Tries = {
    // Isolates have no name that stays: a try without a result counts once it must be over.
    by: crypto.randomUUID(),
    startedAt: now(),
    isOfEarlierRun: ({ lastAttemptAt }) => lastAttemptAt === null,
    async noteFailure(metadata, failure) {
      const ofThisRun = results.noteFailure(metadataKey('unprocessed', metadata), failure)
      // So many failures in one run are not of single mails.
      if (++looks > LOOKS_MAX) return { ...ofThisRun, wasTaken: false }
      const stored = await takenLately(bucket, { mail: metadata, since: failure.previousAt, now: failure.at })
      return {
        wasTaken: ofThisRun.wasTaken || stored.wasTaken,
        taken: Math.max(ofThisRun.taken, stored.taken),
        healed: Math.max(ofThisRun.healed, stored.healed),
        failing: ofThisRun.failing,
      }
    },
  }

  async function announce(key: string, isByHand = false) {
    const result = await announceStored({ bucket, post: post!, tries, now, parse }, key, isByHand)
    if (result.outcome === 'processed') results.noteTaken(key)
    if (result.outcome === 'failed' && result.metadata.setAside) results.forget(key)
    return result
  }

  return { ...settings, bucket, tries, announce: post && announce }
}

/** Not more than its start is held in memory, of which a worker has 128 MB for all it does at once. */
async function parse(raw: StoredObject): Promise<ParsedMail> {
  const start = await readStart(raw.stream)
  await start.cancel()
  return parseStart(start)
}
