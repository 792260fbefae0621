import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { runOnFullDisk, type FullDiskReport } from '../crash/full-disk-run.ts'
import { embeddedStorage, folderStorage, preloaded, type Storage } from '../crash/installations.ts'
import { temporaryFolder } from '../support/server.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { atLeast, atMost, counted, progress, prove, SEED, type Figure } from './proof.ts'

const DISK_BYTES = 128 * 1024 * 1024
const MAILS_PER_PHASE = 24
const STARTS = 4
const CONTROL_RECOVERY_MS_MAX = 5_000

const CARELESS = preloaded('careless-disk.ts', 'careless-storing.ts')

type Place = {
  name: string
  /** Whether a start opens databases on the disk. */
  hasDatabases: boolean
  /** The folder of the small disk, given a data folder on another one. */
  diskIn: (dataDir: string) => string
  /** Where raw mail is, given the small disk and another folder. */
  storageIn: (places: { disk: string; elsewhere: string }) => Storage
}

const PLACES: Place[] = [
  {
    name: 'the bucket, a folder',
    hasDatabases: false,
    diskIn: (dataDir) => join(dataDir, 'mail'),
    storageIn: ({ disk }) => folderStorage(disk),
  },
  {
    name: 'the bucket and the database, both SQLite',
    hasDatabases: true,
    diskIn: (dataDir) => dataDir,
    storageIn: ({ disk }) => embeddedStorage(disk),
  },
  {
    name: 'the database, SQLite, with the bucket elsewhere',
    hasDatabases: true,
    diskIn: (dataDir) => dataDir,
    storageIn: ({ elsewhere }) => folderStorage(elsewhere),
  },
  {
    name: 'the spool',
    hasDatabases: false,
    diskIn: (dataDir) => join(dataDir, 'spool'),
    storageIn: ({ elsewhere }) => folderStorage(elsewhere),
  },
]

async function runAt({ diskIn, storageIn }: Place, nodeArguments: string[], recoveryMsMax?: number) {
  const dataDir = temporaryFolder()
  const folder = diskIn(dataDir)
  mkdirSync(folder, { recursive: true })
  const disk = mountSmallDisk(DISK_BYTES, folder)
  const storage = storageIn({ disk: disk.folder, elsewhere: join(temporaryFolder(), 'mail') })
  const environment = { DATA_DIR: dataDir, MAILHATCH_SMALL_DISK: disk.folder, RATE_LIMIT: 'off', ...storage.settings }
  return runOnFullDisk({
    program: { environment, nodeArguments },
    disk,
    storage,
    seed: SEED,
    mailsPerPhase: MAILS_PER_PHASE,
    starts: STARTS,
    ...(recoveryMsMax === undefined ? {} : { recoveryMsMax }),
  })
}

test.each(PLACES)('a full disk loses nothing: $name', async (place) => {
  const { name, hasDatabases } = place
  progress(name)
  const report = await runAt(place, [])
  progress(`${name}: control`)
  const control = await runAt(place, CARELESS, CONTROL_RECOVERY_MS_MAX)
  prove({
    claim: `A full disk loses no mail, serves reads, and needs no restart when there is room again: ${name}.`,
    tried:
      `A tmpfs of ${DISK_BYTES / 1024 ** 2} MiB for ${name}. It is filled to the last page while mail of 2 kB to 1.3 MB arrives over 4 connections; mail is read meanwhile; then there is room, and more mail comes. ` +
      `After that, ${STARTS} starts on the full disk, by turns after a stop and after kill -9, each with reads and mail; then room again, without a restart.`,
    figures: [
      counted('mails sent', report.sent),
      atLeast(3 * MAILS_PER_PHASE, 'mails accepted', report.accepted),
      atLeast(1, 'mails refused', report.refused),
      counted('starts on the full disk', report.starts),
      counted('reads on the full disk', report.reads),
      ...limits(report, hasDatabases, (figure, found) => atMost(0, figure, found)),
    ],
    control: {
      tried:
        'The same with a program that takes half of its failed writes and all announcements as done, refuses mail with 554 and often when there is room again, ' +
        `changes and doubles mail, and needs room to read${hasDatabases ? ' and to start' : ''}.`,
      figures: limits(control, hasDatabases, (figure, found) => atLeast(1, figure, found)),
    },
  })
})

function limits(
  report: FullDiskReport,
  hasDatabases: boolean,
  limited: (name: string, found: number) => Figure,
): Figure[] {
  return [
    limited('accepted mails lost', report.lost.length),
    limited('mails with changed bytes', report.altered.length),
    limited('mails stored twice', report.doubled.length),
    limited('mails refused for good', report.refusedForGood.length),
    limited('mails refused when there is room again', report.refusedWithRoom.length),
    limited('reads that fail on the full disk', report.readsFailed.length),
    ...(hasDatabases ? [limited('starts that fail on the full disk', report.startsFailed.length)] : []),
  ]
}
