import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { crashUnderLoad } from '../crash/crash-under-load.ts'
import {
  allInOne,
  embeddedStorage,
  folderStorage,
  onCuttableDisk,
  preloaded,
  type Storage,
} from '../crash/installations.ts'
import { mountCuttableDisk } from '../support/cuttable-disk.ts'
import { run, startProgram } from '../support/program.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

const CUTS = 50
const CONNECTIONS = 8
const CONTROL_CUTS = 6
const BACKUPS = 5
/** Files that were not synced may be empty, so that some mail can never be announced. */
const CONTROL_RECOVERY_MS_MAX = 10_000
/** Four of five cuts come under load. */
const ACCEPTED_MIN = 5 * CUTS * 0.8

const UNSYNCED = preloaded('unsynced-program.ts')

type Bucket = { name: string; storageIn: (dataDir: string) => Storage; unsynced: string }

const BUCKETS: Bucket[] = [
  {
    name: 'raw mail in SQLite',
    storageIn: embeddedStorage,
    unsynced: 'whose databases use `synchronous=normal`',
  },
  {
    name: 'raw mail in a folder',
    storageIn: (dataDir) => folderStorage(join(dataDir, 'mail')),
    unsynced: 'that does not sync the files of raw mail, and whose database uses `synchronous=normal`',
  },
]

test.each(BUCKETS)('accepted mail survives a power cut: $name', async ({ name, storageIn, unsynced }) => {
  const cut = async (crashes: number, nodeArguments: string[], label: string, recoveryMsMax?: number) =>
    crashUnderLoad({
      installation: await onCuttableDisk((dataDir) =>
        allInOne({ dataDir, storage: storageIn(dataDir), nodeArguments }),
      ),
      crashes,
      connections: CONNECTIONS,
      seed: SEED,
      ...(recoveryMsMax !== undefined && { recoveryMsMax }),
      onCrash: (crash) => crash % 5 === 0 && progress(`${name}: ${label} ${crash} of ${crashes}`),
    })
  const report = await cut(CUTS, [], 'cut')
  const control = await cut(CONTROL_CUTS, UNSYNCED, 'control, cut', CONTROL_RECOVERY_MS_MAX)
  prove({
    claim: `Mail that was accepted is stored once, byte for byte, after a power cut: ${name}.`,
    tried:
      `${CUTS} power cuts at random moments while ${CONNECTIONS} SMTP connections send mail, ${report.crashesDuringStart} of them while the program starts. ` +
      'The data is on ext4 in an image on a loop device. A cut stops the program and copies the image; the program then continues with the copy. ' +
      'The copy has what the file system had handed to the disk, so this is a disk that loses nothing from its own cache.',
    figures: [
      counted('power cuts', report.crashes),
      atLeast(ACCEPTED_MIN, 'mails accepted', report.accepted),
      atMost(0, 'accepted mails lost', report.lost.length),
      atMost(0, 'mails with changed bytes', report.altered.length),
      atMost(0, 'mails stored twice', report.doubled.length),
      counted('mails stored whose 250 was not read', report.unasked),
    ],
    control: {
      tried: `${CONTROL_CUTS} power cuts of a program ${unsynced}.`,
      figures: [counted('mails accepted', control.accepted), atLeast(1, 'accepted mails lost', control.lost.length)],
    },
  })
})

test('a backup survives a power cut once the command has ended', async () => {
  const dataDir = temporaryFolder()
  // Without given secrets, so that it generates some.
  await (await startProgram('serve', { DATA_DIR: dataDir })).stop()
  const disk = await mountCuttableDisk()

  /** The number of backups that are not whole after a power cut. */
  async function countDamaged(backups: number, nodeArguments: string[]): Promise<number> {
    let damaged = 0
    for (let number = 0; number < backups; number++) {
      const folder = join(disk.folder, `backup-${nodeArguments.length}-${number}`)
      const settings = { DATA_DIR: dataDir, NODE_OPTIONS: nodeArguments.join(' ') }
      expect(await run(['backup', '--to', folder], settings)).toMatchObject({ code: 0 })
      await disk.cut([], async () => {})
      if (!isWhole(dataDir, folder)) damaged++
    }
    return damaged
  }

  prove({
    claim: 'A backup survives a power cut once the command has ended.',
    tried: `${BACKUPS} times \`mailhatch backup\` to such a disk, each followed by a power cut.`,
    figures: [atMost(0, 'backups with missing or damaged files', await countDamaged(BACKUPS, []))],
    control: {
      tried: `The same with a command that syncs no files of its own.`,
      figures: [atLeast(1, 'backups with missing or damaged files', await countDamaged(BACKUPS, UNSYNCED))],
    },
  })
})

function isWhole(dataDir: string, backup: string): boolean {
  const isSame = (name: string) =>
    existsSync(join(backup, name)) && readFileSync(join(backup, name)).equals(readFileSync(join(dataDir, name)))
  return (
    ['secrets.json', 'api-key'].every(isSame) &&
    ['inbox.db', 'mailhatch.db'].every((name) => isSound(join(backup, name)))
  )
}

function isSound(path: string): boolean {
  if (!existsSync(path)) return false
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return database.prepare('pragma quick_check').get()!['quick_check'] === 'ok'
  } finally {
    database.close()
  }
}
