import { basename, dirname } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type * as IntakeModule from '../../src/intake/accept-announcement.ts'
import type * as ConnectionModule from '../../src/sqlite/connection.ts'
import type * as WriterModule from '../../src/sqlite/writer.ts'
import type * as AnnounceModule from '../../src/worker/announce.ts'
import type * as IncomingModule from '../../src/worker/smtp/incoming-mail.ts'
import { carelessBucket, doubling } from '../crash/careless-program.ts'
import { isQuick, planRuns, type BucketName, type DatabaseName } from '../crash/fault-calls.ts'
import { FaultReport, runPlannedFaults, type FaultRuns } from '../crash/planned-faults.ts'
import { postgresFaults, programs, startFaultyProgram, unplannedCalls } from '../crash/faulty-program.ts'
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
  return { openWriter: (path: string) => openWriter(path, programs.get(dirname(path))!.threadUrl) }
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
vi.mock('../../src/worker/smtp/incoming-mail.ts', async (importOriginal) => {
  const original = await importOriginal<typeof IncomingModule>()
  const storageRefusal: typeof original.storageRefusal = (error) =>
    careless.isOn ? '554 5.3.0 Not stored\r\n' : original.storageRefusal(error)
  return { ...original, storageRefusal }
})

const RUNS = 2_000
/** Late calls mostly wait, so that more programs than cores run side by side. */
const PROGRAMS_EACH = 2
const BUCKETS: BucketName[] = ['folder', 'SQLite', 'S3', 'R2']
const DATABASES: DatabaseName[] = ['SQLite', 'PostgreSQL']
const PAIRS = BUCKETS.flatMap((bucket) => DATABASES.map((database) => ({ bucket, database })))
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

type Pair = (typeof PAIRS)[number]

let runsDone = 0

async function runIn({ bucket, database }: Pair, given: Pick<FaultRuns, 'runs' | 'report' | 'recoveryMsMax'>) {
  const program = await startFaultyProgram({
    bucket,
    database,
    storage,
    newDatabase: postgres.database,
    // In half of the programs, a late response comes after the client has given up.
    s3ResponseMs: database === 'SQLite' ? 5_000 : 60_000,
  })
  await runPlannedFaults(program, {
    ...given,
    name: `bucket ${bucket}, database ${database}`,
    onRun: () => ++runsDone % 100 === 0 && progress(`${runsDone} runs`),
  })
}

test('faults in buckets and databases lose nothing', async () => {
  const plans = PAIRS.map((pair, index) => {
    const runs = planRuns(seededRandom(SEED + index), { ...pair, count: RUNS / PAIRS.length })
    return { pair, runs, combinations: new Set(runs.map(({ name }) => name)) }
  })
  const report = new FaultReport()
  const programNumbers = Array.from({ length: PROGRAMS_EACH }, (_, number) => number)
  await Promise.all(
    plans.flatMap(({ pair, runs }) =>
      programNumbers.map((number) =>
        runIn(pair, { report, runs: runs.filter((_, index) => index % PROGRAMS_EACH === number) }),
      ),
    ),
  )
  expect(Array.from(unplannedCalls)).toEqual([])

  careless.isOn = true
  const control = new FaultReport()
  const recoveryMsMax = CONTROL_RECOVERY_MS_MAX
  await Promise.all(
    plans.map(({ pair, runs: planned }) => {
      const runs = planned.filter(isQuick).slice(0, CONTROL_RUNS_EACH)
      return runIn(pair, { report: control, runs, recoveryMsMax })
    }),
  )
  careless.isOn = false

  prove({
    claim:
      'Whatever call of a bucket or database fails, and however: mail that was accepted is stored once, byte for byte, is announced, and can be read when the fault has gone.',
    tried:
      'Each run makes one call of the bucket or the database fail while a mail is sent, an older one read and one deleted: ' +
      'with an error before its effect, with one after it, with half of what it writes or reads, 10 s late, or for lack of room; once, again and again, or with all calls that follow. ' +
      'Then the fault ends, a second mail is sent, and both are looked for over the API; at the end, after a restart, all of them again. ' +
      `The buckets are a folder, SQLite, S3 and R2 (the last two in workerd), each with SQLite and with PostgreSQL as database, each pair with ${PROGRAMS_EACH} programs side by side. ` +
      'Calls are those of the file system, of SQLite, of the PostgreSQL driver, and requests to S3 and R2. Late calls really are 10 s late, each once for every pair; the other kinds share the remaining runs. ' +
      'The clock of the programs is put forward where they would wait before they retry.',
    figures: [
      atLeast(RUNS, 'runs in which the call failed as planned', report.runs),
      counted('calls that failed', report.callsFailed),
      atLeast(
        plans.reduce((sum, { combinations }) => sum + combinations.size, 0),
        'combinations of bucket, database, call and kind of fault',
        report.hit.size,
      ),
      atLeast(RUNS / 4, 'mails acknowledged during a fault', report.acknowledged),
      atLeast(RUNS / 20, 'mails refused during a fault', report.refused),
      counted('refused mails that are stored nevertheless', report.unasked),
      ...limits(report, (name, count) => atMost(0, name, count)),
    ],
    control: {
      tried:
        `${PAIRS.length * CONTROL_RUNS_EACH} such runs with a program that takes half of its failed writes and all announcements as done, refuses mail with 554 and again when the fault has gone, ` +
        'changes a byte of one mail in five, stores one in five twice, and never reads what it could not read once.',
      figures: limits(control, (name, count) => atLeast(1, name, count)),
    },
  })
})

function limits(report: FaultReport, limited: (name: string, count: number) => Figure): Figure[] {
  return [
    limited('false acknowledgements: accepted mails that are not stored', report.falselyAcknowledged.length),
    limited('accepted mails that are never announced', report.unannounced.length),
    limited('accepted mails that cannot be read when the fault has gone', report.unreadable.length),
    limited('mails with changed bytes', report.altered.length),
    limited('mails stored twice', report.doubled.length),
    limited('mails refused for good because of a fault', report.refusedForGood.length),
    limited('mails refused when the fault has gone', report.refusedAfterwards.length),
  ]
}
