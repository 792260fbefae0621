import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { crashUnderLoad } from '../crash/crash-under-load.ts'
import { allInOne, apart, folderStorage, s3Storage, preloaded, type Installation } from '../crash/installations.ts'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { startObjectStorage, type ObjectStorage } from '../support/object-storage.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

const KILLS = 200
const CONNECTIONS = 8
/** Each interrupts mail on every connection. */
const CONTROL_KILLS = 10
/** Four of five kills come under load. */
const ACCEPTED_MIN = 5 * KILLS * 0.8

const UNSAFE = preloaded('unsafe-program.ts')

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
    name: 'worker and API apart, on PostgreSQL with S3 as bucket',
    arrange: async (nodeArguments) =>
      apart({
        nodeArguments,
        databaseUrl: await postgres.database(),
        storage: s3Storage(objectStorage.newBucket().s3Url),
      }),
  },
]

test.each(ARRANGEMENTS)('accepted mail survives kill -9: $name', async ({ name, arrange }) => {
  const run = async (crashes: number, nodeArguments: string[], label: string) =>
    crashUnderLoad({
      installation: await arrange(nodeArguments),
      crashes,
      connections: CONNECTIONS,
      seed: SEED,
      onCrash: (crash) => crash % 10 === 0 && progress(`${name}: ${label} ${crash} of ${crashes}`),
    })
  const report = await run(KILLS, [], 'kill')
  const control = await run(CONTROL_KILLS, UNSAFE, 'control, kill')
  prove({
    claim: `Mail that was accepted is stored once, byte for byte, after kill -9: ${name}.`,
    tried: `${KILLS} kills at random moments while ${CONNECTIONS} SMTP connections send mail, ${report.crashesDuringStart} of them while the program starts.${
      name.includes('apart') ? ' A kill hits the worker, the API or both.' : ''
    }`,
    figures: [
      counted('kills', report.crashes),
      atLeast(ACCEPTED_MIN, 'mails accepted', report.accepted),
      atMost(0, 'accepted mails lost', report.lost.length),
      atMost(0, 'mails with changed bytes', report.altered.length),
      atMost(0, 'mails stored twice', report.doubled.length),
      atMost(0, 'messages that were never sent', report.unknown.length),
      counted('mails stored whose 250 was not read', report.unasked),
    ],
    control: {
      tried: `${CONTROL_KILLS} kills of a program that answers 250 before it stores the mail, changes a byte of one mail in ten, and does not recognise a mail that is announced twice.`,
      figures: [
        atLeast(1, 'accepted mails lost', control.lost.length),
        atLeast(1, 'mails with changed bytes', control.altered.length),
        atLeast(1, 'mails stored twice', control.doubled.length),
      ],
    },
  })
})
