import type { ExecutionContext, ForwardableEmailMessage, ScheduledController } from '@cloudflare/workers-types'
import type { StoredObject } from '../bucket/bucket.ts'
import { openR2Bucket } from '../bucket/r2-bucket.ts'
import { createConsoleLog } from '../observe/console-log.ts'
import { parseStart, readStart } from '../mime/mail-prefix.ts'
import { metadataKey } from '../domain/object-keys.ts'
import type { ParsedMail } from '../mime/parse-mail.ts'
import { newId, secureRandom } from '../random.ts'
import { announceOnce } from '../worker/announce-once.ts'
import { announceStored, type AttemptHistory } from '../worker/announce-stored.ts'
import type { Announcer } from '../worker/announcer.ts'
import { createAskScripts } from '../worker/ask-scripts.ts'
import { readSettings, type Bindings } from '../worker/cloudflare-settings.ts'
import { takeRoutedMail, type RoutedMail, type RoutedMailPorts } from '../worker/email-worker.ts'
import { createRecentResults } from '../worker/recent-results.ts'
import { RECEIVING_MS_MAX, searchFromStoredPosition } from '../worker/raw-search.ts'
import { sweep } from '../worker/sweep.ts'
import { recentlyAccepted } from '../worker/recently-accepted.ts'
import { readReachabilityProblem } from '../worker/reachability-object.ts'
import { createWorkerApp } from '../worker/worker-app.ts'

type Context = Pick<ExecutionContext, 'waitUntil'>

/** A run with more announcements has used most of the requests that Cloudflare allows. */
const ANNOUNCEMENTS_BEFORE_SEARCH_MAX = 50

/** Reads of recently accepted mail per run. Each takes about 30 requests. */
const HISTORY_READS_MAX = 10

const log = createConsoleLog()
const now = () => Date.now()

/** For all mails of an isolate, whose settings never change. */
let askScripts: RoutedMailPorts['askScripts'] = null

/** The inbox worker on Cloudflare: Email Routing calls `email`, HTTP clients `fetch`, and the cron trigger `scheduled`. */
export default {
  async email(message: ForwardableEmailMessage, bindings: Bindings, context: Context): Promise<void> {
    const { bucket, post, history, rootDomain, scripts } = assemble(bindings)
    askScripts ??= scripts && createAskScripts({ client: scripts, log, now })
    const announcer: Pick<Announcer, 'offer'> | null = post && {
      // Does not delay the reply to the sender: the mail is stored, and the sweep retries a failed announcement.
      offer: (metadata, parsed) =>
        context.waitUntil(announceOnce({ bucket, post, history, now, log }, { metadata, parsed })),
    }
    // The same stream type, declared once by Cloudflare and once by the DOM types.
    await takeRoutedMail({ bucket, announcer, askScripts, rootDomain, newId, now }, message as unknown as RoutedMail)
  },

  async scheduled(_: ScheduledController, bindings: Bindings): Promise<void> {
    const { bucket, post, history, announce, report, rootDomain, refusedMailDays, timeoutMs } = assemble(bindings)
    if (!post || !announce || !report) return
    const announceStored = (key: string) => announce(key)
    const settings = { refusedMailDays, firstAttemptMs: timeoutMs }
    const run = await sweep({ bucket, announceStored, report, ...settings, now, random: secureRandom, log })
    if (run.processed + run.failed > ANNOUNCEMENTS_BEFORE_SEARCH_MAX) return
    const announced: Promise<void>[] = []
    const announcer: Pick<Announcer, 'offer'> = {
      offer: (metadata, parsed) =>
        void announced.push(announceOnce({ bucket, post, history, now, log }, { metadata, parsed })),
    }
    const settledBefore = () => now() - RECEIVING_MS_MAX
    await searchFromStoredPosition({ bucket, parse, announcer, rootDomain, settledBefore, log }, now)
    await Promise.all(announced)
  },

  async fetch(request: Request, bindings: Bindings): Promise<Response> {
    const { bucket, announce, admin: settings } = assemble(bindings)
    const announceNow = announce && ((key: string) => announce(key, true))
    // Nothing runs between requests, so readiness is what the last sweep stored, and there are no metrics.
    const findProblems = async () => {
      const problem = await readReachabilityProblem(bucket)
      return problem === null ? [] : [problem]
    }
    const ports = { bucket, parse, announceNow, settings, findProblems, meters: null, now, log }
    return createWorkerApp(ports).fetch(request)
  },
}

function assemble(bindings: Bindings) {
  const settings = readSettings(bindings)
  const { post } = settings
  const bucket = openR2Bucket(bindings.INBOX_STORAGE)
  const results = createRecentResults(now)
  let historyReads = 0
  let inFlight = 0
  let hasOverlapped = false
  const history: AttemptHistory = {
    // An isolate has no stable id. Its started attempt counts as failed once it must have ended.
    by: crypto.randomUUID(),
    startedAt: now(),
    wasCutOff: true,
    isFromEarlierRun: ({ lastAttemptAt }) => lastAttemptAt === null,
    // Attempts of other isolates are unknown.
    isAlone: () => !hasOverlapped,
    async noteFailure(metadata, failure) {
      const inThisRun = results.noteFailure(metadataKey('unprocessed', metadata), failure)
      // With this many failures in one run, a single message is not the cause.
      if (++historyReads > HISTORY_READS_MAX) return { ...inThisRun, wasTaken: false }
      const stored = await recentlyAccepted(bucket, { mail: metadata, since: failure.previousAt, now: failure.at })
      return {
        wasTaken: inThisRun.wasTaken || stored.wasTaken,
        taken: Math.max(inThisRun.taken, stored.taken),
        healed: Math.max(inThisRun.healed, stored.healed),
        failing: inThisRun.failing,
      }
    },
  }

  async function announce(key: string, isByHand = false) {
    inFlight++
    hasOverlapped ||= inFlight > 1
    const ports = { bucket, post: post!, history, now, parse }
    const result = await announceStored(ports, key, isByHand).finally(() => {
      inFlight--
      hasOverlapped &&= inFlight > 0
    })
    if (result.outcome === 'processed') results.noteAccepted(key)
    if (result.outcome === 'failed' && result.metadata.setAside) results.forget(key)
    return result
  }

  return { ...settings, bucket, history, announce: post && announce }
}

/** Reads only the start of a mail into memory: a worker has 128 MB for all concurrent requests. */
async function parse(raw: StoredObject): Promise<ParsedMail> {
  const start = await readStart(raw.stream)
  await start.cancel()
  return parseStart(start)
}
