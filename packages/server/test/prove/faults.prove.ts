import { basename, dirname } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type * as IntakeModule from '../../src/intake/accept-announcement.ts'
import type * as RemovalModule from '../../src/manage/removal.ts'
import type * as ConnectionModule from '../../src/sqlite/connection.ts'
import type * as WriterModule from '../../src/sqlite/writer.ts'
import type * as AnnounceModule from '../../src/worker/announce.ts'
import type * as AnnounceStoredModule from '../../src/worker/announce-stored.ts'
import type * as IncomingModule from '../../src/worker/smtp/incoming-mail.ts'
import { countingAttempts } from '../crash/announcer-attempts.ts'
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
import { atLeast, counted, none, progress, prove, SEED, some, type Figure } from './proof.ts'

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
vi.mock('../../src/worker/announce-stored.ts', async (importOriginal) =>
  countingAttempts(await importOriginal<typeof AnnounceStoredModule>()),
)
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

/** PROVE_FAULT_RUNS shortens a trial, which is not written to the page. All that are needed run in any case. */
const RUNS = Number(process.env['PROVE_FAULT_RUNS'] ?? 2_000)
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
  share,
  report,
}: {
  pair: Pair
  first: FaultTrial
  runs: Run[]
  /** Of all runs. */
  share: number
  report: FaultReport
}) {
  const count = Math.max(1, Math.round(PROGRAMS * share))
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
  await Promise.all(
    rehearsed.map(({ pair, first }, index) =>
      runPair({ pair, first, runs: runs[index]!, share: runs[index]!.length / runs.flat().length, report }),
    ),
  )
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

  const planned = runs.flatMap((ofPair, index) => ofPair.map(({ place, name }) => ({ index, place, name })))
  const distinct = (key: 'place' | 'name') => new Set(planned.map((run) => `${run.index} ${run[key]}`)).size
  console.info('missed', report.missed)
  prove({
    claim:
      'If a call of a bucket or database fails in one of the ways below, mail that was accepted is stored once, byte for byte. ' +
      'When the fault has gone, the message is announced and can be read, and what was deleted stays deleted.',
    tried:
      'Each run makes one call of the bucket or the database fail while a mail is sent, an older message is read and one is deleted. ' +
      'The call fails with an error before its effect, with an error after it, with half of what it writes or reads, or for lack of room. Or it is 10 s late, or its effect comes at once and only its reply is 10 s late. ' +
      'It fails once, or all calls of its name fail from then on, or all calls of the bucket or database; how long, and with which error, is drawn at random for each run. ' +
      'A fault that lasts ends when the announcer has tried three times to announce the accepted mail, or has nothing left to announce. ' +
      'Runs without a fault have shown how many calls of each name there are, and each of these is the first to fail in at least one run. ' +
      'Then the fault ends, a deletion that failed is repeated, a second mail is sent, and both messages are looked for over the API. ' +
      'At the end, after a restart, all messages are looked for again, those that were deleted too. ' +
      `The buckets are a folder, SQLite, S3 and R2 (the last two in workerd), each with SQLite and with PostgreSQL as database. ${PROGRAMS} programs run side by side. ` +
      'Calls are those of the file system, of SQLite, of the PostgreSQL driver, and requests to S3 and R2. R2 has no error for a lack of room, and stores no half of an object. ' +
      'PostgreSQL fails with a cut connection, a full disk (53100), a conflict (40001), a deadlock (40P01) and a server that stops (57P01). The last three come only before the effect. ' +
      'Late calls come once for each call of every pair, at a random position. Late replies are those of calls that change something. The other kinds share the remaining runs. ' +
      'Not tried: a rollback that fails by itself. The faults spare it in SQLite, and in PostgreSQL it fails only with its connection. ' +
      'The clock of the programs is put forward where they would wait before they retry. ' +
      'The clients of S3 and R2 pause for 1 ms between the attempts of a request and stop after the third, while the product goes on for seconds. The client of S3 waits 5 s or 60 s for a response.',
    figures: [
      atLeast(RUNS, 'runs in which the call failed as planned', report.runs),
      counted('calls that failed', report.callsFailed),
      counted('faults that lasted longer than one call', report.lasting),
      counted('attempts to announce a message during faults that lasted', report.attemptsDuringLasting),
      atLeast(
        Math.max(RUNS / 20, report.lastingUnannounced),
        `faults that lasted for three or more attempts to announce a message, of ${report.lastingUnannounced} that prevented it`,
        report.lastingTried,
      ),
      atLeast(
        Math.max(POSITIONS_MIN, distinct('place')),
        'combinations of bucket, database, call and position at which a call failed',
        report.placesHit.size,
      ),
      atLeast(
        distinct('name'),
        `combinations of bucket, database, call, position and kind of fault that were tried, of ${possible}`,
        report.hit.size,
      ),
      atLeast(RUNS / 4, 'messages acknowledged during a fault', report.acknowledged),
      atLeast(RUNS / 20, 'messages refused during a fault', report.refused),
      counted('refused messages that are stored nevertheless', report.unasked),
      atLeast(RUNS / 2, 'messages looked at again after a restart', report.lookedAtAgain),
      atLeast(RUNS / 2, 'deleted messages looked for after a restart', report.deleted),
      ...limits(report, none),
    ],
    control: {
      tried:
        `${PAIRS.length * CONTROL_RUNS_EACH} such runs with a program that takes half of its failed writes, one deletion in five and all announcements as done. ` +
        'It refuses mail with 554, and again when the fault has gone. It changes a byte of one mail in five, and stores one in five twice. ' +
        'It never reads or deletes what it could not read or delete once.',
      figures: limits(control, some),
    },
  })
})

function limits(report: FaultReport, limited: (name: string, found: string[]) => Figure): Figure[] {
  return [
    limited('false acknowledgements: accepted messages that are not stored', report.falselyAcknowledged),
    limited('accepted messages that are never announced', report.unannounced),
    limited('accepted messages that cannot be read when the fault has gone', report.unreadable),
    limited('messages with changed bytes', report.altered),
    limited('messages stored twice', report.doubled),
    limited('messages refused for good because of a fault', report.refusedForGood),
    limited('messages refused when the fault has gone', report.refusedAfterwards),
    limited('messages that cannot be deleted when the fault has gone', report.undeletable),
    limited('deleted messages that are listed after a restart', report.returned),
    limited('deleted messages of which something is still stored after a restart', report.remaining),
  ]
}
