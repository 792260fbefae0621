import { basename, dirname } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type * as IntakeModule from '../../src/intake/accept-announcement.ts'
import type * as RemovalModule from '../../src/manage/removal.ts'

import type * as ConnectionModule from '../../src/sqlite/connection.ts'
import type * as WriterModule from '../../src/sqlite/writer.ts'
import type * as AnnounceModule from '../../src/worker/announce.ts'
import type * as IncomingModule from '../../src/worker/smtp/incoming-mail.ts'
import { carelessBucket, carelessRemoval, doubling } from '../crash/careless-program.ts'
import type { BucketName, DatabaseName } from '../crash/fault-calls.ts'
import { isQuick, planRuns, type Pair, type Run } from '../crash/fault-plans.ts'
import { FaultReport } from '../crash/fault-report.ts'
import { postgresFaults, programs, startFaultyProgram, unplannedCalls } from '../crash/faulty-program.ts'
import { countCalls, openTrial, type FaultTrial, type TrialOptions } from '../crash/planned-faults.ts'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { failPostgres } from '../support/faulty-postgres.ts'
import { failingReader } from '../support/faulty-reader.ts'
import { startObjectStorage, type ObjectStorage } from '../support/object-storage.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { atLeast, atMost, counted, progress, prove, SEED, type Figure } from './proof.ts'

/** For the control: the programs lack their protection. */
const careless = vi.hoisted(() => ({ isOn: false, unreadable: new Set<string>() }))

vi.mock('../../src/program/open-bucket.ts', () => ({
  async openLockedBucket({ dataDir }: { dataDir: string }) {
    const opened = await programs.get(dataDir)!.openBucket()
    const bucket = careless.isOn ? carelessBucket(opened, careless.unreadable) : opened
    return { bucket, close: () => opened.close() }
  },
}))
vi.mock('../../src/sqlite/writer.ts', async (importOriginal) => {
  const { openWriter } = await importOriginal<typeof WriterModule>()
  return { openWriter: (path: string) => openWriter(path, { threadUrl: programs.get(dirname(path))!.threadUrl }) }
})
vi.mock('../../src/sqlite/connection.ts', async (importOriginal) => {
  const original = await importOriginal<typeof ConnectionModule>()
  return {
    ...original,
    openForReading(path: string) {
      const faultOf = programs.get(dirname(path))?.queryFaults[basename(path)] ?? (() => null)
      return failingReader(original.openForReading(path), faultOf)
    },
  }
})
vi.mock('../../src/worker/announce.ts', async (importOriginal) => {
  const original = await importOriginal<typeof AnnounceModule>()
  const announce: typeof original.announce = async (...given) => {
    const outcome = await original.announce(...given)
    return careless.isOn ? { ok: true } : outcome
  }
  return { ...original, announce }
})
vi.mock('../../src/intake/accept-announcement.ts', async (importOriginal) => {
  const original = await importOriginal<typeof IntakeModule>()
  const createAcceptAnnouncement: typeof original.createAcceptAnnouncement = (ports) => {
    const accept = original.createAcceptAnnouncement(ports)
    return careless.isOn ? doubling(accept) : accept
  }
  return { createAcceptAnnouncement }
})
vi.mock('../../src/manage/removal.ts', async (importOriginal) => {
  const original = await importOriginal<typeof RemovalModule>()
  const removeCarelessly = carelessRemoval(original.removeMessages)
  const removeMessages: typeof original.removeMessages = (...given) =>
    (careless.isOn ? removeCarelessly : original.removeMessages)(...given)
  return { ...original, removeMessages }
})
vi.mock('../../src/worker/smtp/incoming-mail.ts', async (importOriginal) => {
  const original = await importOriginal<typeof IncomingModule>()
  const storageRefusal: typeof original.storageRefusal = (error) =>
    careless.isOn ? '554 5.3.0 Not stored\r\n' : original.storageRefusal(error)
  return { ...original, storageRefusal }
})

const RUNS = 2_000
/** Late calls mostly wait, so that more programs than cores run side by side. */
const PROGRAMS = 16
const BUCKETS: BucketName[] = ['folder', 'SQLite', 'S3', 'R2']
const DATABASES: DatabaseName[] = ['SQLite', 'PostgreSQL']
const PAIRS: Pair[] = BUCKETS.flatMap((bucket) => DATABASES.map((database) => ({ bucket, database })))
/** There are some 600. With fewer, the rehearsals have overlooked calls, which would make the proof easier. */
const POSITIONS_MIN = 500
const CONTROL_RUNS_EACH = 20
/** What the control has lost does not come back. */
const CONTROL_RECOVERY_MS_MAX = 1_000

const postgres = ownPostgres()
let storage: ObjectStorage
let failing: ReturnType<typeof failPostgres>
beforeAll(async () => {
  storage = await startObjectStorage()
  failing = failPostgres((database) => postgresFaults.get(database))
})
afterAll(async () => {
  failing.restore()
  await storage.close()
})

let runsDone = 0

async function openIn(pair: Pair, options: Pick<TrialOptions, 'report' | 'recoveryMsMax'>): Promise<FaultTrial> {
  const program = await startFaultyProgram({
    ...pair,
    storage,
    newDatabase: postgres.database,
    // In half of the programs, a late response comes after the client has given up.
    s3ResponseMs: pair.database === 'SQLite' ? 5_000 : 60_000,
  })
  return openTrial(program, {
    ...options,
    name: `bucket ${pair.bucket}, database ${pair.database}`,
    onRun: () => ++runsDone % 100 === 0 && progress(`${runsDone} runs`),
  })
}

/** Pairs with more runs get more programs. */
async function runPair({
  pair,
  first,
  runs,
  report,
}: {
  pair: Pair
  first: FaultTrial
  runs: Run[]
  report: FaultReport
}) {
  const count = Math.max(1, Math.round((PROGRAMS * runs.length) / RUNS))
  const others = await Promise.all(Array.from({ length: count - 1 }, () => openIn(pair, { report })))
  await Promise.all(
    [first, ...others].map(async (trial, number) => {
      await trial.run(runs.filter((_, index) => index % count === number))
      await trial.finish()
    }),
  )
}

test('faults in buckets and databases lose nothing', async () => {
  const report = new FaultReport()
  const rehearsed = await Promise.all(
    PAIRS.map(async (pair) => {
      const first = await openIn(pair, { report })
      return { pair, first, made: await countCalls(first, pair) }
    }),
  )
  console.info('calls of a run', JSON.stringify(rehearsed.map(({ pair, made }) => ({ ...pair, ...made }))))
  const { runs, possible } = planRuns(seededRandom(SEED), rehearsed, RUNS)
  await Promise.all(rehearsed.map(({ pair, first }, index) => runPair({ pair, first, runs: runs[index]!, report })))
  expect(Array.from(unplannedCalls)).toEqual([])

  careless.isOn = true
  const control = new FaultReport()
  await Promise.all(
    PAIRS.map(async (pair, index) => {
      const trial = await openIn(pair, { report: control, recoveryMsMax: CONTROL_RECOVERY_MS_MAX })
      await trial.run(runs[index]!.filter(isQuick).slice(0, CONTROL_RUNS_EACH))
      await trial.finish()
    }),
  )
  careless.isOn = false

  const planned = runs.flatMap((some, index) => some.map(({ place, name }) => ({ index, place, name })))
  const distinct = (key: 'place' | 'name') => new Set(planned.map((run) => `${run.index} ${run[key]}`)).size
  console.info('missed', report.missed, limits(report, counted))
  prove({
    claim:
      'Whatever call of a bucket or database fails, and however: mail that was accepted is stored once, byte for byte, is announced, and can be read when the fault has gone, and what was deleted stays deleted.',
    tried:
      'Each run makes one call of the bucket or the database fail while a mail is sent, an older one read and one deleted: ' +
      'with an error before its effect, with one after it, with half of what it writes or reads, 10 s late, or for lack of room; once, again and again, or with all calls that follow. ' +
      'Runs without a fault have shown how many calls of each name there are, and each of these is the first to fail in at least one run. ' +
      'Then the fault ends, a deletion that failed is repeated, a second mail is sent, and both are looked for over the API; ' +
      'at the end, after a restart, all messages again, those that were deleted too. ' +
      `The buckets are a folder, SQLite, S3 and R2 (the last two in workerd), each with SQLite and with PostgreSQL as database, ${PROGRAMS} programs side by side. ` +
      'Calls are those of the file system, of SQLite, of the PostgreSQL driver, and requests to S3 and R2. ' +
      'Late calls really are 10 s late, each kind of call once for every pair, at a random position; the other kinds share the remaining runs. ' +
      'The clock of the programs is put forward where they would wait before they retry.',
    figures: [
      atLeast(RUNS, 'runs in which the call failed as planned', report.runs),
      counted('calls that failed', report.callsFailed),
      atLeast(
        Math.max(POSITIONS_MIN, distinct('place')),
        'combinations of bucket, database, call and position',
        report.placesHit.size,
      ),
      atLeast(
        distinct('name'),
        `combinations of bucket, database, call, position and kind of fault, of ${possible}`,
        report.hit.size,
      ),
      atLeast(RUNS / 4, 'messages acknowledged during a fault', report.acknowledged),
      atLeast(RUNS / 20, 'messages refused during a fault', report.refused),
      counted('refused messages that are stored nevertheless', report.unasked),
      atLeast(RUNS / 2, 'messages looked at again after a restart', report.lookedAtAgain),
      atLeast(RUNS / 2, 'deleted messages looked for after a restart', report.deleted),
      ...limits(report, (name, count) => atMost(0, name, count)),
    ],
    control: {
      tried:
        `${PAIRS.length * CONTROL_RUNS_EACH} such runs with a program that takes half of its failed writes, one deletion in five and all announcements as done, refuses mail with 554 and again when the fault has gone, ` +
        'changes a byte of one mail in five, stores one in five twice, and never reads or deletes what it could not read or delete once.',
      figures: limits(control, (name, count) => atLeast(1, name, count)),
    },
  })
})

function limits(report: FaultReport, limited: (name: string, count: number) => Figure): Figure[] {
  return [
    limited('false acknowledgements: accepted messages that are not stored', report.falselyAcknowledged.length),
    limited('accepted messages that are never announced', report.unannounced.length),
    limited('accepted messages that cannot be read when the fault has gone', report.unreadable.length),
    limited('messages with changed bytes', report.altered.length),
    limited('messages stored twice', report.doubled.length),
    limited('messages refused for good because of a fault', report.refusedForGood.length),
    limited('messages refused when the fault has gone', report.refusedAfterwards.length),
    limited('messages that cannot be deleted when the fault has gone', report.undeletable.length),
    limited('deleted messages that are listed after a restart', report.returned.length),
    limited('deleted messages that are still stored after a restart', report.remaining.length),
  ]
}
