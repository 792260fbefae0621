import { onTestFinished, vi } from 'vitest'
import { openStore } from '../../src/program/open-store.ts'
import { bytesOf, type Bucket, type StoredObject } from '../../src/bucket/bucket.ts'
import { readConfig } from '../../src/program/config.ts'
import { metadataPrefix, rawKey } from '../../src/domain/object-keys.ts'
import { createLocalFeed } from '../../src/feed/feed.ts'
import { hashApiKey } from '../../src/http/authenticate.ts'
import { postLocally } from '../../src/http/local-post.ts'
import { createAcceptAnnouncement } from '../../src/intake/accept-announcement.ts'
import { createTeam } from '../../src/manage/teams.ts'
import { createMailParser } from '../../src/mime/mail-parser.ts'
import { newId, secureRandom } from '../../src/random.ts'
import type { ListAnchor } from '../../src/store/messages.ts'
import type { Store } from '../../src/store/store.ts'
import { createAnnouncer } from '../../src/worker/announcer.ts'
import { searchRawMail } from '../../src/worker/raw-search.ts'
import { withDatabase } from './journey-database.ts'
import { startReceiver } from './receiver.ts'
import { seededRandom, type SeededRandom } from './seeded-random.ts'
import { temporaryFolder, WEBHOOK_SECRET } from './server.ts'
import { SmtpClient } from './smtp-client.ts'
import { keysIn, sha256 } from './stored-mail.ts'
import { takeStep } from './step-faults.ts'

const DOMAIN = 'qa.test'
const CLIENTS = 4
const MAILS_PER_ROUND = 8
/** Every retry is due after this. */
const RETRY_MS = 61_000
const DATABASE_FAULTS_PER_MILLE = 100
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }
/** A round or what follows the faults takes seconds; this only ends a run that hangs. */
const PATIENCE = { timeout: 300_000, interval: 100 }

/** A bucket that fails at random. */
export type FaultyInbox = {
  bucket: Bucket
  /** Starts or continues to fail. Resolves to the number of faults since the last call. */
  fail: (seed: number) => Promise<number>
  heal: () => Promise<number>
}

export type FaultRun = {
  seed: number
  /** The minimum for bucket and database together. */
  faults: number
  openInbox: () => Promise<FaultyInbox>
  /** Whether lost metadata is searched for at the end. */
  search?: boolean
}

/** Mail arrives while bucket and database fail and the API is down. Then everything works again, and every 250 is checked. */
export async function runFaults({ seed, faults, openInbox, search = true }: FaultRun) {
  const random = seededRandom(seed)
  const { bucket, fail, heal } = await openInbox()
  const parser = createMailParser()
  const clock = { ahead: 0 }
  const now = () => Date.now() + clock.ahead
  const api = await startFaultyApi(random, now)
  const fixed = {
    report: async () => true,
    by: 'worker',
    wasCutOff: true,
    refusedMailDays: null,
    unclaimedNotice: '',
    meters: null,
    log: SILENT,
  }
  const start = () => createAnnouncer({ bucket, parser, post: api.post, now, ...fixed })
  const announcer = start()
  await announcer.start()
  const { port } = await startReceiver(bucket, () => {}, announcer)
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => SmtpClient.connect(port)))
  const accepted = new Map<string, string>()
  let [sent, bucketFaults, rounds] = [0, 0, 0]

  async function sendSome(client: SmtpClient): Promise<void> {
    for (let count = 0; count < MAILS_PER_ROUND / CLIENTS; count++) {
      const tag = `m${sent++}`
      const to = `box+${tag}@${DOMAIN}`
      const raw = Buffer.from(`Subject: ${tag}\r\nTo: ${to}\r\n\r\n${'x'.repeat(200)}\r\n`)
      if ((await client.send({ to, raw })).startsWith('250 ')) accepted.set(tag, sha256(raw))
    }
  }

  // A run without a fault of the bucket or without accepted mail would prove nothing.
  while (bucketFaults + api.faults() < faults || bucketFaults === 0 || accepted.size === 0) {
    rounds++
    api.set(random.pick(['away', 'away', 'flapping', 'up']))
    bucketFaults += await fail(random.below(2 ** 31))
    await Promise.all(clients.map(sendSome))
    const posts = api.posts()
    // Until the announcer has posted what is due. Mail that could not be read is due a minute later.
    await vi.waitUntil(() => {
      clock.ahead += RETRY_MS / 10
      return api.posts() > posts || announcer.waitingCount() === 0
    }, PATIENCE)
  }
  bucketFaults += await heal()
  api.set('well')
  await announcer.close()

  // From here on, only the content of the bucket counts.
  const second = start()
  const restored = search ? await searchAll() : 0
  await second.start()
  await vi.waitUntil(async () => {
    clock.ahead += RETRY_MS
    const left = await keysIn(bucket, metadataPrefix('unprocessed'))
    // By chance a mail fails often enough to be set aside. It is listed then, and an operator retries it.
    if (left.length === second.setAsideCount()) for (const key of left) await second.announceNow(key)
    return left.length === 0
  }, PATIENCE)
  const { missing, twice, unreadable } = await check()
  await second.close()
  await parser.close()
  for (const client of clients) client.close()
  return {
    seed,
    rounds,
    faults: { bucket: bucketFaults, database: api.faults() },
    mails: { sent, accepted: accepted.size },
    restored,
    missing,
    twice,
    unreadable,
  }

  async function searchAll(): Promise<number> {
    const parse = async (raw: StoredObject) => parser.parse(await bytesOf(raw))
    const ports = {
      bucket,
      parse,
      announcer: second,
      rootDomain: 'in.test',
      settledBefore: () => Infinity,
      log: SILENT,
    }
    let restored = 0
    let place: string | null = null
    do {
      const step = await searchRawMail(ports, place)
      restored += step.tried
      place = step.next
    } while (place !== null)
    return restored
  }

  /** Tags of accepted mail that the API does not have, has twice, or has with other bytes. */
  async function check() {
    const idsByTag = await api.idsByTag()
    const tags = Array.from(accepted.keys())
    const unreadable: string[] = []
    for (const tag of tags) {
      const [id] = idsByTag.get(tag) ?? []
      if (id === undefined) continue
      const object = await bucket.get(rawKey({ domain: DOMAIN, mailbox: 'box', id }))
      if (!object || sha256(await bytesOf(object)) !== accepted.get(tag)) unreadable.push(tag)
    }
    return {
      missing: tags.filter((tag) => !idsByTag.has(tag)),
      twice: tags.filter((tag) => (idsByTag.get(tag)?.length ?? 0) > 1),
      unreadable,
    }
  }
}

type ApiState = 'away' | 'flapping' | 'up' | 'well'

/** Intake on a real store whose calls fail at random during the faults. */
async function startFaultyApi(random: SeededRandom, now: () => number) {
  const environment = { DATA_DIR: temporaryFolder(), INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET }
  const config = readConfig('api', await withDatabase(environment))
  const store = await openStore(config, SILENT)
  onTestFinished(() => store.close())
  const making = { newId, now, random: secureRandom, hashKey: hashApiKey }
  const team = await createTeam(
    { store, rootDomain: 'in.test', ...making },
    { name: 'QA', domain: DOMAIN, plan: 'enterprise' },
  )
  let state: ApiState = 'well'
  let [faults, posts] = [0, 0]

  const faulty = new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) => {
        const isHit = state !== 'well' && random.chance(DATABASE_FAULTS_PER_MILLE / 1000)
        if (isHit) faults++
        const fault = isHit
          ? { when: random.pick(['before', 'after', 'late'] as const), kind: 'the database is away' }
          : null
        const take = async () => Reflect.apply(method, target, args) as unknown
        return takeStep({ fault, take, fail: (kind) => new Error(kind) })
      }
    },
  })
  const acceptAnnouncement = createAcceptAnnouncement({
    store: faulty,
    feed: createLocalFeed(),
    wakeSender: () => {},
    rootDomain: 'in.test',
    catchAllTeam: async () => null,
    recordRejection: () => {},
    newId,
    now,
  })
  const post = postLocally(acceptAnnouncement, SILENT)

  return {
    set: (next: ApiState) => void (state = next),
    faults: () => faults,
    posts: () => posts,
    async post(announcement: unknown) {
      posts++
      if (state === 'away' || (state === 'flapping' && random.chance(0.5))) throw new Error('ECONNREFUSED')
      const answer = await post(announcement)
      // Stored, but the response is lost.
      if (state === 'flapping' && random.chance(0.2)) throw new Error('ECONNRESET')
      return answer
    },
    idsByTag: () => idsByTag(store, team.id),
  }
}

async function idsByTag(store: Store, teamId: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  const view = { teamId, oldestReceivedAt: 0, filter: {} }
  let last: ListAnchor | null = null
  for (;;) {
    const page = await store.listMessages(view, { before: last, limit: 200 })
    for (const { tag, id } of page) found.set(tag ?? '', [...(found.get(tag ?? '') ?? []), id])
    last = page.at(-1) ?? null
    if (last === null) return found
  }
}
