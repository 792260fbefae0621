import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assembleAccounts, openMailer } from './assemble-accounts.ts'
import { LOCKS, type Intake } from './assemble-intake.ts'
import type { Worker } from './assemble-worker.ts'
import type { MessageObjects } from '../bucket/message-objects.ts'
import type { openDoors } from '../compat/doors.ts'
import type { Config } from './config.ts'
import { createApi } from '../http/app.ts'
import { hashApiKey } from '../http/authenticate.ts'
import { underBasePath } from '../http/base-path.ts'
import { createKeyChecks } from '../http/key-checks.ts'
import { createKeyUses } from '../http/key-uses.ts'
import type { ApiPorts } from '../http/ports.ts'
import type { LocalWorker } from '../http/local-worker.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { shedHeld } from '../http/shedding.ts'
import { RECONNECT_FRAME, messageFrame, PING_FRAME } from '../http/sse-frames.ts'
import type { Log } from '../observe/log.ts'
import type { Meters } from '../observe/meters.ts'
import { openBilling } from '../manage/billing.ts'
import { createInviteLimits } from '../manage/invites.ts'
import { createMetrics } from '../manage/metrics.ts'
import type { RemovalPorts } from '../manage/removal.ts'
import { txtRecords } from '../manage/txt-records.ts'
import { createMailParser } from '../mime/mail-parser.ts'
import { OVERLOADED, type Overload } from '../observe/overload.ts'
import { createKeyFile, KEY_FILE } from './key-file.ts'
import { sharedWithinTurn } from '../intake/shared-reads.ts'
import { newId, newSecret, secureRandom } from '../random.ts'
import { createContents } from '../read/content.ts'
import { createParking } from '../read/parked-bytes.ts'
import { createFollowers } from '../read/followers.ts'
import { createStreams } from '../read/streams.ts'
import { createSubscriptions } from '../read/subscriptions.ts'
import { createWaits } from '../read/wait.ts'
import { startSweep } from '../retention/sweep.ts'
import { DatabaseUnavailable } from '../store/postgres-errors.ts'

/** In a clone, the output of the build; in the package, a folder of dist. */
const DASHBOARD_FOLDER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../dashboard/dist' : '../dashboard', import.meta.url),
)

/** After this time, all processes and workers know a new scenario. */
const SCRIPTS_KNOWN_MS = 1_000

type Doors = ReturnType<typeof openDoors>

export type Api = Awaited<ReturnType<typeof assembleApi>>

/** The worker in the same process, as it was assembled. */
export type OwnWorker = Pick<
  Worker,
  'findProblems' | 'unrouted' | 'others' | 'receiveOwn' | 'attempts' | 'caughtUp'
> & {
  smtpPort: number
}

export type ApiParts = {
  intake: Intake
  webhookSecret: string | null
  objects: MessageObjects | null
  /** Null when the worker is another process. */
  worker: OwnWorker | null
  /** Null when metrics are off. */
  meters: Meters | null
  overload: Pick<Overload, 'isOverloaded' | 'isMemoryShort'>
  now: () => number
}

/** The API and everything it needs, except a socket. */
export async function assembleApi(config: Config, log: Log, parts: ApiParts) {
  const { intake, webhookSecret, objects, worker, meters, now } = parts
  const { store, feed, webhooks, acceptAnnouncement, recordRejection, saveRejections } = intake
  const { isOverloaded } = parts.overload
  const followers = createFollowers({ store, feed, log })
  const waits = createWaits(followers, now)
  const frames = { message: messageFrame, ping: PING_FRAME, reconnect: RECONNECT_FRAME }
  const streams = createStreams({ store, followers, frames, log, now })
  const subscriptions = createSubscriptions({ store, followers, now })
  const keyUses = createKeyUses(store, log)
  const mailer = await openMailer(config, log)
  const parser = createMailParser({
    onThreadDeath: (reason) => log.error({ reason }, 'reading an attachment failed, its thread was terminated'),
  })
  // Processes with access to the bucket share one lock: objects that a process without access cannot delete would stay.
  const holdsLock = () => feed.holdsLock(objects ? LOCKS.sweepAll : LOCKS.sweepRows)
  let doors: Doors | null = null
  /** What deletes messages, in whichever way. */
  const removal: RemovalPorts = { store, objects, now, log, onRemoved: (teamId, ids) => doors?.deleted(teamId, ids) }
  const sweep = startSweep({ ...removal, store, log, holdsLock }, config.sweepEverySeconds * 1000)
  const checks = createKeyChecks()
  const { rootDomain } = config
  const site = {
    appUrl: config.appUrl,
    rootDomain,
    allowedOrigins: config.allowedOrigins,
    dashboardFolder: DASHBOARD_FOLDER,
    isBehindProxy: config.trustProxy === 'on',
  }
  let isClosing = false

  function endKey(keyId: string): void {
    checks.recordEnding(keyId)
    streams.endKey(keyId)
  }

  async function findProblems(): Promise<string[]> {
    const problems = isClosing ? ['shutting down'] : []
    await store.check().catch((error: unknown) => {
      const isReadOnly = error instanceof DatabaseUnavailable && error.isReadOnly
      problems.push(isReadOnly ? 'the database is read-only' : 'the database cannot be read')
    })
    if (worker) problems.push(...(await worker.findProblems()))
    // In the all-in-one program the worker reports the overload.
    else if (isOverloaded()) problems.push(OVERLOADED)
    return problems
  }

  meters?.watch('mailhatch_waits_held', waits.count)
  meters?.watch('mailhatch_streams_open', streams.count)
  meters?.watch('mailhatch_database_size_bytes', store.sizeBytes)
  const ports: ApiPorts = {
    store,
    now,
    messages: {
      ...removal,
      store,
      ...shedHeld({ waits, streams, subscriptions }, parts.overload),
      contents: createContents(objects, parser, createParking(config.dataDir)),
    },
    mailboxes: { ...removal, store, rootDomain, random: secureRandom, newId },
    keys: {
      // Many requests of a test run have the same key.
      store: {
        ...store,
        findPrincipal: sharedWithinTurn(checks.remembering(store.findPrincipal), (keyHash) => keyHash),
      },
      hashKey: hashApiKey,
      keyRotated: createKeyFile({ path: join(config.dataDir, KEY_FILE), hashKey: hashApiKey, log }),
      endKey,
      checks,
      recordUse: keyUses.record,
      rateLimit: config.rateLimit === 'on' ? createRateLimit(now) : null,
      random: secureRandom,
      newId,
      now,
    },
    webhooks: webhooks.endpoints,
    members: { store, site, mailer, inviteLimits: createInviteLimits(now), endKey, newId, now, log },
    teams: {
      store,
      rootDomain,
      domainProof: config.domainProof,
      resolveTxt: txtRecords,
      newToken: newSecret,
      defaultPlan: config.defaultPlan,
      billing: openBilling({ store, appUrl: config.appUrl, now, log }, config),
      metrics: createMetrics({ store, now }),
      newId,
      now,
    },
    accounts: await assembleAccounts(config, log, { store, site, mailer, endKey, now }),
    inbound: {
      store,
      acceptAnnouncement,
      recordRejection,
      saveRejections,
      webhookSecret,
      worker: worker && localWorker(config, worker),
      ledger: {
        add: intake.addAttempts,
        // What a worker in this process knows is stored before it is read.
        flush: async () => worker?.attempts?.flush(),
      },
      exchange: intake.exchange,
      scenarios: {
        store,
        rootDomain,
        inboxWorker: config.inboxWorker,
        catchAllTeam: intake.catchAllTeam,
        scripts: intake.scripts,
        takeStep: intake.takeStep,
        // Only a worker in the only process knows it at once.
        activeInMs: worker && !config.databaseUrl ? 0 : SCRIPTS_KNOWN_MS,
        newId,
        now,
      },
    },
    site,
    observe: { log, meters, isOverloaded, findProblems },
  }
  const app = createApi(ports)
  if (config.compat) doors = (await import('../compat/doors.ts')).openDoors(config.compat, ports)

  return {
    fetch: underBasePath(doors ? doors.besides(app.fetch) : app.fetch, config.appUrl),
    /** The API of another mail catcher, if one is set. */
    doors,
    /** Makes the API not ready and ends held waits and streams, so that clients reconnect elsewhere. */
    quiesce() {
      isClosing = true
      webhooks.sender.stop()
      waits.close()
      intake.exchange.release()
      streams.close()
      subscriptions.close()
      doors?.close()
    },
    async close() {
      followers.close()
      await sweep.close()
      await mailer?.close()
      await parser.close()
      await keyUses.close().catch((error: unknown) => log.error({ err: error }, 'saving the last use of keys failed'))
      await intake.close()
    },
  }
}

function localWorker({ appUrl }: Config, { unrouted, others, receiveOwn, caughtUp, smtpPort }: OwnWorker): LocalWorker {
  const smtp = smtpPort > 0 ? { host: new URL(appUrl).hostname, port: smtpPort } : null
  return { unrouted, others, receiveMail: receiveOwn, caughtUp, smtp }
}
