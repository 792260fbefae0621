import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { KINDS, type Kind } from '../support/call-faults.ts'
import { postgresDatabase, sqliteDatabase, type FaultyDatabase } from '../support/fault-databases.ts'
import {
  embeddedInbox,
  folderInbox,
  r2Inbox,
  s3Inbox,
  withOldUndo,
  withoutErrors,
  type FaultyInbox,
  type InboxOptions,
} from '../support/fault-inboxes.ts'
import { openFaultRig, someFault, type PlannedFault, type RigOptions } from '../support/fault-run.ts'
import { startObjectStorage, type ObjectStorage } from '../support/object-storage.ts'
import { seededRandom, type SeededRandom } from '../support/seeded-random.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

const RUNS = 2_000
/** All waiting is 50 times as short: a late response, and the limits that the product has for one. */
const SCALED_LATE_MS = 200
const REAL_LATE_MS = 10_000
/** The calls on the way to a 250 and to the message. */
const REALLY_LATE = ['put', 'get', 'move', 'writeFor']
const CONTROL_RUNS = 20

const postgres = ownPostgres()
let storage: ObjectStorage
beforeAll(async () => {
  storage = await startObjectStorage()
})
afterAll(() => storage.close())

const INBOXES: Record<string, (options: InboxOptions) => Promise<FaultyInbox>> = {
  embedded: embeddedInbox,
  folder: folderInbox,
  S3: (options) => s3Inbox(storage, options),
  R2: (options) => r2Inbox(storage, options),
}
const DATABASES: Record<string, () => Promise<FaultyDatabase>> = {
  SQLite: sqliteDatabase,
  PostgreSQL: async () => postgresDatabase(await postgres.database()),
}
const PAIRS = Object.keys(INBOXES).flatMap((inbox) => Object.keys(DATABASES).map((database) => ({ inbox, database })))

type Setup = { inbox: string; database: string; number: number; lateMs: number; wrap?: RigOptions['wrap'] }

async function openRig({ inbox, database, number, lateMs, wrap }: Setup) {
  const random = seededRandom(SEED + number)
  const opened = await INBOXES[inbox]!({ random, s3Limits: { dividedBy: REAL_LATE_MS / lateMs } })
  const options = { random, lateMs, inbox: opened, database: await DATABASES[database]!() }
  return { random, rig: await openFaultRig({ ...options, ...(wrap && { wrap }) }) }
}

type Rig = Awaited<ReturnType<typeof openRig>>

/** Every kind of fault at every call, in random order, again and again. */
function* faultsFor({ random, rig }: Rig): Generator<PlannedFault> {
  for (;;) {
    const all = rig.calls.flatMap((call) => KINDS.map((kind) => ({ call, kind })))
    for (const { call, kind } of shuffled(random, all)) yield someFault(random, call, kind)
  }
}

function shuffled<Item>(random: SeededRandom, items: Item[]): Item[] {
  return items
    .map((item) => ({ item, place: random.below(2 ** 31) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

type Ended = Awaited<ReturnType<Rig['rig']['end']>>

function sum(ended: Ended[], of: (one: Ended) => number): number {
  return ended.reduce((total, one) => total + of(one), 0)
}

const LOSSES = [
  ['false acknowledgements', ({ notStored }: Ended) => notStored.length],
  ['accepted mails that are never announced', ({ notAnnounced }: Ended) => notAnnounced.length],
  ['mails stored twice', ({ twice }: Ended) => twice.length],
  ['mails whose bytes cannot be read once the fault has gone', ({ unreadable }: Ended) => unreadable.length],
  ['downloads with wrong bytes during a fault', ({ wrongBytes }: Ended) => wrongBytes],
] as const

test('faults of buckets and databases', async () => {
  const rigs = await Promise.all(
    PAIRS.map((pair, number) =>
      openRig({ ...pair, number, lateMs: SCALED_LATE_MS }).then((rig) => ({ ...pair, ...rig })),
    ),
  )
  /** How often each kind happened at each call of each bucket and database. */
  const hits = new Map<string, number>()
  const keyOf = (where: string, call: string, kind: Kind) => `${where} ${call}: ${kind}`
  for (const { rig, inbox, database } of rigs) {
    for (const { port, call } of rig.calls) {
      for (const kind of KINDS) hits.set(keyOf(port === 'bucket' ? inbox : database, call, kind), 0)
    }
  }
  let done = 0
  const ended = await Promise.all(
    rigs.map(async ({ inbox, database, ...opened }) => {
      const faults = faultsFor(opened)
      for (let run = 0; run < RUNS / rigs.length; run++) {
        const fault = faults.next().value as PlannedFault
        const key = keyOf(fault.port === 'bucket' ? inbox : database, fault.call, fault.kind)
        hits.set(key, hits.get(key)! + (await opened.rig.run(fault)))
        if (++done % 100 === 0) progress(`${done} of ${RUNS} faults`)
      }
      return opened.rig.end()
    }),
  )
  const late = await reallyLate()
  progress('controls')
  const unacknowledged = await control('put', withoutErrors)
  const unannounced = await control('move', withOldUndo)
  const counts = Array.from(hits.values())
  expect(hits.size).toBeGreaterThan(0)
  prove({
    claim: 'A fault of the storage or the database loses no accepted mail.',
    tried:
      'Mail arrives over SMTP on 4 connections and is announced, read and deleted, on each of 4 buckets (embedded, folder, S3, R2) with each of ' +
      '2 databases (SQLite, PostgreSQL). In each run, one call of the bucket or of the database fails: with an error before or after its effect, half done, ' +
      'with a response that is 10 s late, or because the disk is full, once or until the fault is removed. The calls are those that the port has, and faults happen at ' +
      'the steps below them: system calls, statements, requests. In every second run the API is unreachable as well or its responses get lost. 10 s are shortened to 200 ms, and so are the time limits that the ' +
      'product has for S3; the calls on the way to a message are also tried with 10 s and the limits as they are. Then the fault is removed, ' +
      'the worker restarts after every tenth run, and everything accepted is read again at the end.',
    figures: [
      atLeast(
        RUNS,
        'runs with a fault',
        sum(ended, ({ runs }) => runs),
      ),
      atLeast(
        hits.size,
        `combinations of call and kind of fault that happened, of ${hits.size}`,
        counts.filter((count) => count > 0).length,
      ),
      atLeast(1, 'faults of the rarest combination', Math.min(...counts)),
      counted(
        'faults',
        counts.reduce((total, count) => total + count, 0),
      ),
      atLeast(
        late.length * REALLY_LATE.length,
        'runs with a response that is really 10 s late',
        sum(late, ({ runs }) => runs),
      ),
      counted(
        'mails sent',
        sum([...ended, ...late], ({ sent }) => sent),
      ),
      atLeast(
        RUNS,
        'mails accepted',
        sum([...ended, ...late], (one) => one.accepted),
      ),
      counted(
        'mails set aside during the faults and retried by an operator',
        sum([...ended, ...late], (one) => one.setAside),
      ),
      ...LOSSES.map(([name, of]) => atMost(0, name, sum([...ended, ...late], of))),
    ],
    control: {
      tried: `${CONTROL_RUNS} runs with errors that the bucket hides from the worker, and ${CONTROL_RUNS} with a bucket that deletes the old metadata when a rewrite fails, as an earlier version did.`,
      figures: [
        atLeast(1, 'false acknowledgements with hidden errors', unacknowledged.notStored.length),
        atLeast(1, 'accepted mails that are never announced with the old undo', unannounced.notAnnounced.length),
      ],
    },
  })
})

async function reallyLate(): Promise<Ended[]> {
  return Promise.all(
    PAIRS.map(async (pair, number) => {
      const { rig } = await openRig({ ...pair, number: 100 + number, lateMs: REAL_LATE_MS })
      for (const { port, call } of rig.calls.filter((known) => REALLY_LATE.includes(known.call))) {
        await rig.run({ port, call, kind: 'late', skip: 0, lasts: false })
      }
      progress(`10 s late: ${pair.inbox} with ${pair.database}`)
      return rig.end()
    }),
  )
}

async function control(call: string, wrap: (bucket: FaultyInbox['faulty']['port']) => FaultyInbox['faulty']['port']) {
  const { random, rig } = await openRig({
    inbox: 'folder',
    database: 'SQLite',
    number: 200,
    lateMs: SCALED_LATE_MS,
    wrap,
  })
  for (let run = 0; run < CONTROL_RUNS; run++) {
    const kind = random.pick(['error before', 'error after', 'disk full'] as const)
    await rig.run({ ...someFault(random, { port: 'bucket', call }, kind), lasts: true })
  }
  return rig.end()
}
