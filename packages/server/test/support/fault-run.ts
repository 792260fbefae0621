import { vi } from 'vitest'
import { bytesOf, type Bucket } from '../../src/bucket/bucket.ts'
import { objectsIn } from '../../src/bucket/message-objects.ts'
import { metadataPrefix, rawKey, RAW_PREFIX } from '../../src/domain/object-keys.ts'
import { removeMessages } from '../../src/manage/removal.ts'
import { createMailParser } from '../../src/mime/mail-parser.ts'
import { createAnnouncer } from '../../src/worker/announcer.ts'
import type { CallFault, FaultyPort, Kind } from './call-faults.ts'
import { DOMAIN, startFaultyApi, type Found } from './fault-api.ts'
import type { FaultyDatabase } from './fault-databases.ts'
import type { FaultyInbox } from './fault-inboxes.ts'
import { startReceiver } from './receiver.ts'
import type { SeededRandom } from './seeded-random.ts'
import { SmtpClient, isAccepted } from './smtp-client.ts'
import { keysIn, sha256 } from './stored-mail.ts'

const CLIENTS = 4
const MAILS_BEFORE = 12
/** Every retry is due after this. */
const RETRY_MS = 61_000
/** Some are streamed, in parts. */
const SIZES = [...Array<number>(12).fill(200), 50_000, 1_200_000]
/** A worker that restarts knows only what is in the bucket. */
const RUNS_PER_RESTART = 10
/** What the API records of mail that it refuses. */
const REJECTION = { domain: DOMAIN, from: 'a@shop.example', to: `box@${DOMAIN}`, code: '550', reason: 'Refused.' }
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }
/** Takes seconds; this only ends a run that hangs. */
const PATIENCE = { timeout: 300_000, interval: 50 }
/** Two turns of the announcer. Some faults leave nothing to wait for. */
const ATTEMPT = { timeout: 1_200, interval: 20 }
/** A fault is tried again with fewer steps before it if it did not happen. */
const TRIES_MAX = 8

export type FaultRig = Awaited<ReturnType<typeof openFaultRig>>
type Port = 'bucket' | 'database'
export type PlannedFault = { port: Port } & Omit<CallFault, 'lateMs'>

export type RigOptions = {
  random: SeededRandom
  inbox: FaultyInbox
  database: FaultyDatabase
  lateMs: number
  /** For controls: takes a protection away. */
  wrap?: (bucket: Bucket) => Bucket
}

/** The way of a mail from SMTP to the database, where a run lets one call of the bucket or the database fail. */
export async function openFaultRig({ random, inbox, database, lateMs, wrap = (bucket) => bucket }: RigOptions) {
  const bucket = wrap(inbox.faulty.port)
  const parser = createMailParser({ threadsMax: 1 })
  const clock = { ahead: 0 }
  const now = () => Date.now() + clock.ahead
  const api = await startFaultyApi(database, random, now)
  const ports: Record<Port, FaultyPort<object>> = { bucket: inbox.faulty, database: database.faulty }
  let announcer = await start()
  const offer: typeof announcer.offer = (...mail) => announcer.offer(...mail)
  const { port } = await startReceiver(bucket, () => {}, { offer }, now)
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => SmtpClient.connect(port)))
  /** Hashes by tag. Refused mail may be stored too, if the fault came after its effect. */
  const hashes = new Map<string, string>()
  const accepted = new Map<string, string>()
  const deleted = new Set<string>()
  let visible: Found[] = []
  let [runs, sent, setAside, wrongBytes] = [0, 0, 0, 0]

  async function start() {
    const fixed = { by: 'worker', refusedMailDays: null, unclaimedNotice: '', meters: null, log: SILENT }
    const started = createAnnouncer({ bucket, parser, post: api.post, report: async () => true, now, ...fixed })
    await started.start()
    return started
  }

  async function send(client: SmtpClient, sizeBytes: number): Promise<boolean> {
    const tag = `m${sent++}`
    const to = `box+${tag}@${DOMAIN}`
    const raw = Buffer.from(`Subject: ${tag}\r\nTo: ${to}\r\n\r\n${'x'.repeat(sizeBytes)}\r\n`)
    hashes.set(tag, sha256(raw))
    const isTaken = isAccepted(await client.send({ to, raw }))
    if (isTaken) accepted.set(tag, sha256(raw))
    return isTaken
  }

  /** Readers and users who delete mail, at the same time. */
  async function useOtherCalls(): Promise<void> {
    const objects = objectsIn(bucket)
    const left = visible.filter(({ tag }) => !deleted.has(tag))
    const [read, unwanted] = [random.pick(left), random.pick(left)]
    deleted.add(unwanted.tag)
    const removing = removeMessages({ store: api.store, objects, log: SILENT, now }, api.teamId, [unwanted.position])
    const reading = objects.raw({ domain: DOMAIN, mailbox: 'box', id: read.id }).then(async (object) => {
      if (object && sha256(await bytesOf(object)) !== hashes.get(read.tag)) wrongBytes++
    })
    await Promise.allSettled([removing, reading])
  }

  async function attempt(fault: PlannedFault): Promise<number> {
    const failing = ports[fault.port]
    api.set(random.pick(['away', 'flapping', 'up', 'up']))
    failing.arm({ ...fault, lateMs })
    const working = useOtherCalls()
    const asking = Promise.allSettled([api.store.check(), api.store.addRejections([{ ...REJECTION, at: now() }])])
    await Promise.all(clients.map((client) => send(client, random.pick(SIZES))))
    await Promise.all([working, asking])
    // What failed is tried again while the fault lasts.
    api.set('up')
    clock.ahead += RETRY_MS
    const posts = api.posts()
    const isOver = () => failing.hits() > 0 || api.posts() > posts || announcer.waitingCount() === 0
    await vi.waitUntil(isOver, ATTEMPT).catch(() => {})
    if (fault.call === 'list') await vi.waitUntil(() => failing.hits() > 0, ATTEMPT).catch(() => {})
    const hits = await failing.disarm()
    api.set('well')
    return hits
  }

  /** Until the bucket has nothing to announce any more. */
  async function settle(): Promise<void> {
    let lastJumpAt = 0
    await vi.waitUntil(async () => {
      const left = await keysIn(inbox.view, metadataPrefix('unprocessed'))
      // By chance a mail fails often enough to be set aside. It is listed then, and an operator retries it.
      if (left.length > 0 && left.length === announcer.setAsideCount()) {
        setAside += left.length
        for (const key of left) await announcer.announceNow(key)
      }
      if (performance.now() - lastJumpAt > ATTEMPT.timeout / 2) {
        clock.ahead += RETRY_MS
        lastJumpAt = performance.now()
      }
      return left.length === 0
    }, PATIENCE)
  }

  // Enough to be read and deleted from the first run on.
  for (let mail = 0; mail < MAILS_BEFORE; mail++) await send(clients[0]!, 200)
  await settle()
  visible = await api.newest()

  return {
    /** Every call of both ports. */
    calls: (['bucket', 'database'] as const).flatMap((name) => ports[name].calls.map((call) => ({ port: name, call }))),
    /** Runs until the fault has happened, then without it. Resolves to the number of times that it happened. */
    async run(fault: PlannedFault): Promise<number> {
      let hits = 0
      for (let tries = 0; hits === 0; tries++) {
        if (tries === TRIES_MAX) throw new Error(`The fault never happened: ${JSON.stringify(fault)}`)
        hits = await attempt(tries === 0 ? fault : { ...fault, skip: Math.max(0, fault.skip - tries) })
      }
      if (++runs % RUNS_PER_RESTART === 0) {
        await announcer.close()
        announcer = await start()
      }
      // On the same connection, as a sender does that tries again.
      await vi.waitUntil(() => send(clients[0]!, 200), PATIENCE)
      await settle()
      visible = await api.newest()
      return hits
    },
    /** What is in bucket and database after everything was stopped. */
    async end() {
      await announcer.close()
      await parser.close()
      for (const client of clients) client.close()
      return { runs, sent, accepted: accepted.size, setAside, wrongBytes, ...(await findLosses()) }
    },
  }

  async function findLosses() {
    const ids = await api.idsByTag()
    const tags = Array.from(accepted.keys()).filter((tag) => !deleted.has(tag))
    const stored = new Set<string>()
    for (const key of await keysIn(inbox.view, RAW_PREFIX)) stored.add(sha256(await readAll(key)))
    const unreadable: string[] = []
    for (const tag of tags) {
      const [id] = ids.get(tag) ?? []
      if (id === undefined) continue
      const bytes = await readAll(rawKey({ domain: DOMAIN, mailbox: 'box', id }))
      if (sha256(bytes) !== accepted.get(tag)) unreadable.push(tag)
    }
    return {
      /** Accepted, but the bucket does not have the bytes. */
      notStored: tags.filter((tag) => !stored.has(accepted.get(tag)!)),
      /** Stored, but never announced. */
      notAnnounced: tags.filter((tag) => stored.has(accepted.get(tag)!) && !ids.has(tag)),
      twice: tags.filter((tag) => (ids.get(tag)?.length ?? 0) > 1),
      unreadable,
    }
  }

  async function readAll(key: string): Promise<Uint8Array> {
    const object = await inbox.view.get(key)
    return object ? bytesOf(object) : new Uint8Array(0)
  }
}

/** A fault of this kind at some step of the call. */
export function someFault(
  random: SeededRandom,
  { port, call }: { port: Port; call: string },
  kind: Kind,
): PlannedFault {
  // The first step is done before a fault that leaves half of the work.
  const skip = kind === 'half done' && port === 'bucket' ? 1 + random.below(3) : random.below(3)
  // One late response is enough: all of them together would only take longer.
  return { port, call, kind, skip, lasts: kind !== 'late' && random.chance(0.5) }
}
