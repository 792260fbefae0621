import { assembleWebhooks } from './assemble-webhooks.ts'
import type { Config } from './config.ts'
import { dataFile } from './data-folder.ts'
import { createLocalFeed, NO_BROADCASTS } from '../feed/feed.ts'
import type { SharedFeed } from '../feed/postgres-feed.ts'
import type { AttemptGroup } from '../domain/attempt.ts'
import { createAcceptAnnouncement, type AcceptAnnouncement } from '../intake/accept-announcement.ts'
import type { Log } from '../observe/log.ts'
import { addAttempts } from '../manage/ledger.ts'
import { createRejections } from '../manage/rejections.ts'
import { createTakeStep } from '../manage/take-step.ts'
import { createScriptList } from '../manage/script-list.ts'
import { meteredAcceptance } from './metered.ts'
import type { Meters } from '../observe/meters.ts'
import type { Tracing } from '../observe/tracing.ts'
import { openStore, type WrapDatabase } from './open-store.ts'
import { createWorkerExchange } from '../read/worker-exchange.ts'
import { newId } from '../random.ts'
import { lockFolder } from '../sqlite/lock.ts'
import type { Team } from '../store/mailboxes.ts'
import { splitHosts } from '../store/postgres-hosts.ts'
import type { Store } from '../store/store.ts'
import { tracedAcceptance, tracedFeed, tracedStore } from './traced.ts'

/** Advisory locks: only one of the processes on a database does each of these. */
export const LOCKS = { sweepRows: 1, sweepAll: 2, firstTeam: 3 }

export type Intake = Awaited<ReturnType<typeof assembleIntake>>

export type IntakeParts = {
  /** Encrypts secrets in the database. */
  secretKey: string
  /** Null when metrics are off. */
  meters: Meters | null
  /** Null unless spans are recorded. */
  tracing: Tracing | null
  /** Called before each announcement. */
  onMail: () => void
  now: () => number
  wrapDatabase: WrapDatabase | undefined
}

/** The store, and what happens to an announcement: it is stored, readers are woken, and webhooks are sent. */
export async function assembleIntake(config: Config, log: Log, parts: IntakeParts) {
  const { secretKey, meters, tracing, onMail, now, wrapDatabase } = parts
  // Several processes can share PostgreSQL, so it needs no lock.
  const lock = config.databaseUrl ? null : lockFolder(dataFile(config, 'lock.db'), 'The database')
  const store = await openStore(config, log, { migrationLog: log, meters, wrapDatabase })
  const feed = await openFeed(config, log)
  const rejections = createRejections({ store, log, now })
  const logUnsaved = (error: unknown) => log.error({ err: error }, 'saving rejections failed')
  const saveRejections = () => rejections.save().catch(logUnsaved)
  const catchAllTeam = async (domain: string) =>
    (await findCatchAllTeam(store, config.catchAll)) ?? store.findCatchingTeam(domain)
  const scripts = createScriptList({ store, log, now })
  // Before mail arrives, so that scripts go on after a restart.
  await scripts.refresh()
  const exchange = createWorkerExchange(feed)
  const webhooks = assembleWebhooks(config, log, { store, secretKey, meters, tracing, now })
  const accept = createAcceptAnnouncement({
    store: tracedStore(store, tracing),
    feed: tracedFeed(feed, tracing),
    wakeSender: webhooks.sender.wake,
    rootDomain: config.rootDomain,
    catchAllTeam,
    recordRejection: rejections.record,
    newId,
    now,
  })
  const acceptAnnouncement: AcceptAnnouncement = (announcement) => {
    onMail()
    return accept(announcement)
  }
  return {
    store,
    feed,
    webhooks,
    acceptAnnouncement: tracedAcceptance(meteredAcceptance(acceptAnnouncement, meters), tracing),
    recordRejection: rejections.record,
    saveRejections,
    catchAllTeam,
    scripts,
    takeStep: createTakeStep({ store, rootDomain: config.rootDomain, catchAllTeam, now }),
    async addAttempts(group: AttemptGroup) {
      await addAttempts({ store, rootDomain: config.rootDomain, catchAllTeam, now }, group)
      return true
    },
    exchange,
    async close() {
      await scripts.close()
      await webhooks.sender.close()
      await rejections.close().catch(logUnsaved)
      await exchange.close()
      await feed.close()
      await store.close()
      lock?.release()
    },
  }
}

async function openFeed({ databaseUrl, databaseDirectUrl }: Config, log: Pick<Log, 'warn'>): Promise<SharedFeed> {
  // The only process on its database always holds the lock.
  if (!databaseUrl) {
    return { ...createLocalFeed(), holdsLock: async () => true, broadcasts: NO_BROADCASTS, close: async () => {} }
  }
  // Loaded on demand, as the store is.
  const { createPostgresFeed } = await import('../feed/postgres-feed.ts')
  return createPostgresFeed({
    // LISTEN and advisory locks belong to a session, so they need a direct connection to the same host in all processes.
    url: databaseDirectUrl ?? splitHosts(databaseUrl)[0],
    onError: (error) => log.warn({ err: error }, 'the connection for notifications failed, readers poll every second'),
  })
}

/** Warns at start-up: with an unknown catch-all team, unclaimed mail is refused. */
export async function warnOfUnknownCatchAll({ catchAll }: Config, store: Store, log: Pick<Log, 'warn'>): Promise<void> {
  if (catchAll === null || (await findCatchAllTeam(store, catchAll))) return
  log.warn({ INBOX_CATCH_ALL: catchAll }, 'no team has this id, so unclaimed mail is refused')
}

async function findCatchAllTeam(store: Store, catchAll: string | null): Promise<Team | null> {
  if (catchAll === null) return null
  return catchAll === 'bootstrap' ? store.findBootstrapTeam() : store.findTeam(catchAll)
}
