import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { ACCEPTED_PER_LIFE_MIN, crashesFor, crashUnderLoad } from '../crash/crash-under-load.ts'
import { allInOne, apart, folderStorage, s3Storage, type Installation } from '../crash/installations.ts'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { startObjectStorage, type ObjectStorage } from '../support/object-storage.ts'
import { preload } from '../support/preload.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

/** Under load; others come while the programs start. */
const KILLS = 200
const CONNECTIONS = 8
/** Each interrupts mail on every connection. */
const CONTROL_KILLS = 10

const UNSAFE = preload('crash/early-acceptance.ts', 'crash/careless-storing.ts')

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
  const run = async (crashes: number, nodeArguments: string[], label: string) =>
    crashUnderLoad({
      installation: await arrange(nodeArguments),
      crashes,
      connections: CONNECTIONS,
      seed: SEED,
      onCrash: (crash) => crash % 50 === 0 && progress(`${name}: ${label} ${crash} of ${crashes}`),
    })
  const report = await run(crashesFor(KILLS), [], 'kill')
  const control = await run(crashesFor(CONTROL_KILLS), UNSAFE, 'control, kill')
  prove({
    claim: `Mail that was accepted is stored once, byte for byte, after kill -9: ${name}.`,
    tried: `kill -9 at random moments while ${CONNECTIONS} SMTP connections send mail, and while the programs start.${
      name.includes('apart') ? ' A kill hits the worker, the API or both.' : ''
    } At the end, an operator retries what was set aside.`,
    figures: [
      atLeast(KILLS, 'kills under load', report.crashesUnderLoad),
      counted('kills during a start', report.crashesDuringStart),
      atLeast(KILLS * ACCEPTED_PER_LIFE_MIN, 'messages accepted', report.accepted),
      atMost(0, 'accepted messages lost', report.lost.length),
      atMost(0, 'messages with changed bytes', report.altered.length),
      atMost(0, 'messages stored twice', report.doubled.length),
      atMost(0, 'messages that were never sent', report.unknown.length),
      counted('messages stored without a received 250', report.unasked),
      counted('messages set aside because kills hit them three times, and stored by a retry', report.setAside),
    ],
    control: {
      tried: `${CONTROL_KILLS} kills of a program that answers 250 before it stores the mail, changes a byte of one mail in ten, and stores one in ten twice and one in ten for another tag as well.`,
      figures: [
        atLeast(1, 'accepted messages lost', control.lost.length),
        atLeast(1, 'messages with changed bytes', control.altered.length),
        atLeast(1, 'messages stored twice', control.doubled.length),
        atLeast(1, 'messages that were never sent', control.unknown.length),
      ],
    },
  })
}
