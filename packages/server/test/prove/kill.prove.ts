import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { ACCEPTED_PER_LIFE_MIN, crashesFor, crashUnderLoad } from '../crash/crash-under-load.ts'
import { allInOne, apart, folderStorage, s3Storage, type Installation } from '../crash/installations.ts'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { startObjectStorage, type ObjectStorage } from '../support/object-storage.ts'
import { preload } from '../support/preload.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, counted, none, progress, prove, SEED, some } from './proof.ts'

/** Under load; others come while the programs start. PROVE_KILLS shortens a trial, which is not written to the page. */
const KILLS = Number(process.env['PROVE_KILLS'] ?? 200)
const CONNECTIONS = 8
/** Each interrupts mail on every connection. */
const CONTROL_KILLS = 10
/** Of a program that does not search its bucket. */
const FORGETFUL_KILLS = 4
/** What this program has forgotten is never announced. Everything else is within seconds after its start. */
const FORGETFUL_RECOVERY_MS_MAX = 20_000

/** Of the kills during a start. Half of them come around its end, and the duration of a start varies. */
const OPEN_DATA_SHARE = 1 / 10

const FORGOTTEN = 'messages that the program neither announced nor set aside'

const UNSAFE = preload('crash/early-acceptance.ts', 'crash/careless-storing.ts')
const WITHOUT_SEARCH = preload('crash/without-search.ts')

const postgres = ownPostgres()
let objectStorage: ObjectStorage
beforeAll(async () => {
  objectStorage = await startObjectStorage()
})
afterAll(() => objectStorage.close())

type Arrange = (nodeArguments: string[]) => Promise<Installation>

const newFolder = () => folderStorage(join(temporaryFolder(), 'mail'))

const ARRANGEMENTS: { name: string; arrange: Arrange }[] = [
  { name: 'all-in-one on SQLite', arrange: (nodeArguments) => allInOne({ nodeArguments }) },
  {
    name: 'worker and API apart, on PostgreSQL with a folder as bucket',
    arrange: async (nodeArguments) =>
      apart({ nodeArguments, databaseUrl: await postgres.database(), storage: newFolder() }),
  },
  {
    name: 'worker and API apart, on PostgreSQL with S3 (in workerd) as bucket',
    arrange: async (nodeArguments) =>
      apart({
        nodeArguments,
        databaseUrl: await postgres.database(),
        storage: s3Storage(objectStorage.newBucket().s3Url),
      }),
  },
]

// At once: most of the time of each is spent on starting programs.
test('accepted mail survives kill -9', async () => {
  const results = await Promise.allSettled(ARRANGEMENTS.map(proveOne))
  for (const result of results) if (result.status === 'rejected') throw result.reason
})

async function proveOne({ name, arrange }: (typeof ARRANGEMENTS)[number]): Promise<void> {
  const run = async (crashes: number, nodeArguments: string[], label: string, recoveryMsMax?: number) =>
    crashUnderLoad({
      installation: await arrange(nodeArguments),
      crashes,
      connections: CONNECTIONS,
      seed: SEED,
      ...(recoveryMsMax !== undefined && { recoveryMsMax }),
      onCrash: (crash) => crash % 50 === 0 && progress(`${name}: ${label} ${crash} of ${crashes}`),
    })
  const report = await run(crashesFor(KILLS), [], 'kill')
  const unsafe = await run(crashesFor(CONTROL_KILLS), UNSAFE, 'unsafe program, kill')
  const forgetful = await run(
    crashesFor(FORGETFUL_KILLS),
    WITHOUT_SEARCH,
    'forgetful program, kill',
    FORGETFUL_RECOVERY_MS_MAX,
  )
  prove({
    claim: `Mail that was accepted is stored once, byte for byte, after kill -9, by itself or by an operator’s retry: ${name}.`,
    tried:
      `kill -9 at random moments while ${CONNECTIONS} SMTP connections send mail, and while the programs start.${
        name.includes('apart') ? ' A kill hits the worker, the API or both.' : ''
      } ` +
      'Half of the kills during a start come at any moment of the start time that this run measured. The other half come around its end, when the programs open their data. ' +
      'At the end, the programs run until no message is announced for 90 s. What waits then must be set aside, after three failures and with a reason. An operator retries it.',
    figures: [
      atLeast(KILLS, 'kills under load', report.crashesUnderLoad),
      counted('kills during a start', report.crashesDuringStart),
      atLeast(
        Math.floor(report.crashesDuringStart * OPEN_DATA_SHARE),
        'kills during a start that came when a program had opened a database file or was ready',
        report.crashesWithOpenData,
      ),
      atLeast(KILLS * ACCEPTED_PER_LIFE_MIN, 'messages accepted', report.accepted),
      none('accepted messages lost', report.lost),
      none(FORGOTTEN, report.forgotten),
      none('messages with changed bytes', report.altered),
      none('messages stored twice', report.doubled),
      none('messages that were never sent', report.unknown),
      counted('messages stored without a received 250', report.unasked),
      counted('messages set aside because kills hit them three times, and stored by a retry', report.setAside),
    ],
    control: {
      tried:
        `${unsafe.crashesUnderLoad} kills under load of a program that replies 250 before it stores the mail. It changes a byte of one mail in ten, stores one in ten twice, and one in ten for another tag as well. ` +
        `${forgetful.crashesUnderLoad} of another program, which does not search its bucket for mail that it had not announced when it ended.`,
      figures: [
        some('accepted messages lost', unsafe.lost),
        some(FORGOTTEN, forgetful.forgotten),
        some('messages with changed bytes', unsafe.altered),
        some('messages stored twice', unsafe.doubled),
        some('messages that were never sent', unsafe.unknown),
      ],
    },
  })
}
