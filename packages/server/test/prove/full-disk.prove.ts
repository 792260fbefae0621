import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { runOnFullDisk, type FullDiskReport, type OnDisk } from '../crash/full-disk-run.ts'
import { embeddedStorage, folderStorage, type Storage } from '../crash/installations.ts'
import { preload } from '../support/preload.ts'
import { temporaryFolder } from '../support/server.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { atLeast, counted, none, progress, prove, SEED, some, type Figure } from './proof.ts'

const DISK_BYTES = 128 * 1024 * 1024
const MAILS_PER_PHASE = 24
const STARTS = 4
/** One at first, and one before each start. */
const FILLINGS = 1 + STARTS
const CONTROL_RECOVERY_MS_MAX = 5_000

const SMALL_REFUSED = 'messages of at most 60 kB refused with 452'

const CARELESS = preload('crash/careless-disk.ts', 'crash/careless-storing.ts')

type Place = {
  name: string
  onDisk: OnDisk[]
  /** The folder of the small disk, given a data folder on another one. */
  diskIn: (dataDir: string) => string
  /** Where raw mail is, given the small disk and another folder. */
  storageIn: (places: { disk: string; elsewhere: string }) => Storage
}

const PLACES: Place[] = [
  {
    name: 'the bucket, a folder',
    onDisk: ['bucket'],
    diskIn: (dataDir) => join(dataDir, 'mail'),
    storageIn: ({ disk }) => folderStorage(disk),
  },
  {
    name: 'the bucket and the database, both SQLite',
    onDisk: ['bucket', 'database'],
    diskIn: (dataDir) => dataDir,
    storageIn: ({ disk }) => embeddedStorage(disk),
  },
  {
    name: 'the database, SQLite, with the bucket elsewhere',
    onDisk: ['database'],
    diskIn: (dataDir) => dataDir,
    storageIn: ({ elsewhere }) => folderStorage(elsewhere),
  },
  {
    name: 'the spool',
    onDisk: ['spool'],
    diskIn: (dataDir) => join(dataDir, 'spool'),
    storageIn: ({ elsewhere }) => folderStorage(elsewhere),
  },
]

async function runAt({ onDisk, diskIn, storageIn }: Place, nodeArguments: string[], recoveryMsMax?: number) {
  const dataDir = temporaryFolder()
  const folder = diskIn(dataDir)
  mkdirSync(folder, { recursive: true })
  const disk = mountSmallDisk(DISK_BYTES, folder)
  // Otherwise large mail would be refused by the spool before it reaches the bucket.
  if (!onDisk.includes('spool')) symlinkSync(temporaryFolder(), join(dataDir, 'spool'))
  const storage = storageIn({ disk: disk.folder, elsewhere: join(temporaryFolder(), 'mail') })
  const settings = { DATA_DIR: dataDir, RATE_LIMIT: 'off', METRICS: 'on', ...storage.settings }
  const environment = { MAILHATCH_SMALL_DISK: disk.folder, ...settings }
  return runOnFullDisk({
    program: { environment, nodeArguments },
    disk,
    onDisk,
    storage,
    seed: SEED,
    mailsPerPhase: MAILS_PER_PHASE,
    starts: STARTS,
    ...(recoveryMsMax === undefined ? {} : { recoveryMsMax }),
  })
}

test.each(PLACES)('a full disk loses nothing: $name', async (place) => {
  const { name, onDisk } = place
  progress(name)
  const report = await runAt(place, [])
  progress(`${name}: control`)
  const control = await runAt(place, CARELESS, CONTROL_RECOVERY_MS_MAX)
  prove({
    claim: `A full disk loses no mail, serves reads, and needs no restart when there is room again: ${name}.`,
    tried:
      `A tmpfs of ${DISK_BYTES / 1024 ** 2} MiB for ${name}. ${onDisk.includes('spool') ? '' : 'The spool is elsewhere. '}` +
      'The tmpfs is filled to the last page while mail of 2 kB to 1.3 MB arrives over 4 connections. ' +
      `${onDisk.map((part) => USED_UP[part]).join('')}More mail is sent and messages are read on the full disk. Then there is room, and more mail comes. ` +
      `After that, the program starts ${STARTS} times on the full disk, by turns after a stop and after kill -9, each time with reads and mail. Then there is room again, without a restart.`,
    figures: [
      counted('messages sent', report.sent),
      atLeast(3 * MAILS_PER_PHASE, 'messages accepted', report.accepted),
      counted('messages refused', report.refused),
      ...shortages(report, onDisk),
      counted('starts on the full disk', report.starts),
      counted('reads on the full disk', report.reads),
      ...limits(report, none),
    ],
    control: {
      tried:
        'The same with a program that takes half of its failed writes and all announcements as done. It refuses mail with 554, and often when there is room again. ' +
        'It changes and doubles mail, and needs room to read and to start.',
      figures: limits(control, some),
    },
  })
})

/** A write-ahead log keeps the room that it had before the disk was full. */
const USED_UP: Record<OnDisk, string> = {
  bucket: 'Mail of 60 kB and then of 2 kB is sent until it is refused, so that no room is left in the bucket either. ',
  database: 'The API writes until it is refused, so that no room is left in the log of the database either. ',
  spool: '',
}

/**
 * What needs room on the small disk is refused, and nothing else is: that disk was really full. Small mail and API writes are sent
 * until they are refused, at each filling.
 */
function shortages(report: FullDiskReport, onDisk: OnDisk[]): Figure[] {
  const expected = (isExpected: boolean, name: string, value: number) =>
    isExpected ? atLeast(1, name, value) : counted(name, value)
  const hasDatabases = onDisk.includes('database')
  return [
    onDisk.includes('bucket')
      ? atLeast(FILLINGS, SMALL_REFUSED, report.smallRefused)
      : counted(SMALL_REFUSED, report.smallRefused),
    expected(onDisk.includes('spool'), 'messages of 1.3 MB refused with 452', report.largeRefused),
    ...(hasDatabases ? [atLeast(FILLINGS, 'API writes refused with 507', report.writesRefused)] : []),
    // A full bucket accepts nothing that could be announced.
    expected(hasDatabases && !onDisk.includes('bucket'), 'announcements refused with 507', report.announcementsRefused),
  ]
}

function limits(report: FullDiskReport, limited: (name: string, found: string[]) => Figure): Figure[] {
  return [
    limited('accepted messages lost', report.lost),
    limited('messages with changed bytes', report.altered),
    limited('messages stored twice', report.doubled),
    limited('messages refused otherwise than with 452', report.refusedOtherwise),
    limited('messages refused when there is room again', report.refusedWithRoom),
    limited('reads that fail on the full disk', report.readsFailed),
    limited('starts that fail on the full disk', report.startsFailed),
  ]
}
