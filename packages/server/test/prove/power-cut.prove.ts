import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import {
  ACCEPTED_PER_LIFE_MIN,
  crashesFor,
  crashUnderLoad,
  untilAccepted,
  untilAnnounced,
} from '../crash/crash-under-load.ts'
import { allInOne, embeddedStorage, folderStorage, onCuttableDisk, type Storage } from '../crash/installations.ts'
import { startMailLoad } from '../crash/mail-load.ts'
import { startChild } from '../support/child-server.ts'
import { mountCuttableDisk } from '../support/cuttable-disk.ts'
import { preload } from '../support/preload.ts'
import { run, startProgram } from '../support/program.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

/** Under load; others come while the program starts. */
const CUTS = 50
const CONNECTIONS = 8
/** Of a program that does not sync. */
const UNSYNCED_CUTS = 6
/** Of one that changes and doubles mail, for which it needs no cut. */
const CARELESS_CUTS = 2
const BACKUPS = 5
const BACKED_UP_MAILS = 100
/** Files that were not synced may be empty, so that some mail can never be announced. */
const UNSYNCED_RECOVERY_MS_MAX = 10_000

const KEY_FILES_DAMAGED = 'backups with missing or damaged key files'
const DATABASES_DAMAGED = 'backups with missing, damaged or other databases'

const NORMAL = preload('crash/normal-sync.ts')
const UNSYNCED = preload('crash/unsynced-program.ts')
const CARELESS = preload('crash/careless-storing.ts')

type Bucket = {
  name: string
  storageIn: (dataDir: string) => Storage
  /** What takes the sync away, and what it does. */
  unsynced: string[]
  withoutSync: string
}

const BUCKETS: Bucket[] = [
  {
    name: 'raw mail in SQLite',
    storageIn: embeddedStorage,
    unsynced: NORMAL,
    withoutSync: 'whose databases use `synchronous=normal`, and which is otherwise the same',
  },
  {
    name: 'raw mail in a folder',
    storageIn: (dataDir) => folderStorage(join(dataDir, 'mail')),
    unsynced: UNSYNCED,
    withoutSync:
      'whose database uses `synchronous=normal`, and which syncs neither its folder nor the key files nor the files and folders of raw mail',
  },
]

test.each(BUCKETS)('accepted mail survives a power cut: $name', async (bucket) => {
  const { name, storageIn, withoutSync } = bucket
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
  const report = await cut(crashesFor(CUTS), [], 'cut')
  const unsynced = await cut(crashesFor(UNSYNCED_CUTS), bucket.unsynced, 'unsynced, cut', UNSYNCED_RECOVERY_MS_MAX)
  const careless = await cut(crashesFor(CARELESS_CUTS), CARELESS, 'careless, cut')
  prove({
    claim: `Mail that was accepted is stored once, byte for byte, after a power cut: ${name}.`,
    tried:
      `Power cuts at random moments while ${CONNECTIONS} SMTP connections send mail, and while the program starts. ` +
      'The data is on ext4 in an image on a loop device. A cut stops the program and copies the image; the program then continues with the copy. ' +
      'The copy has what the file system had handed to the disk, so this is a disk that loses nothing from its own cache. ' +
      'The program stops only when its running syncs have ended (`SIGSTOP`), so no cut falls inside a sync. At the end, an operator retries what was set aside.',
    figures: [
      atLeast(CUTS, 'power cuts under load', report.crashesUnderLoad),
      counted('power cuts during a start', report.crashesDuringStart),
      atLeast(CUTS * ACCEPTED_PER_LIFE_MIN, 'messages accepted', report.accepted),
      atMost(0, 'accepted messages lost', report.lost.length),
      atMost(0, 'messages with changed bytes', report.altered.length),
      atMost(0, 'messages stored twice', report.doubled.length),
      counted('messages stored without a received 250', report.unasked),
      counted('messages set aside because cuts hit them three times, and stored by a retry', report.setAside),
    ],
    control: {
      tried:
        `${unsynced.crashesUnderLoad} power cuts under load of a program ${withoutSync}; of its mail, only that whose bytes are nowhere counts as lost. ` +
        `${careless.crashesUnderLoad} of another, which changes a byte of one mail in ten, and stores one in ten twice.`,
      figures: [
        counted('messages accepted by the program that does not sync', unsynced.accepted),
        atLeast(1, 'accepted messages lost', unsynced.gone.length),
        counted('messages accepted by the program that changes and doubles mail', careless.accepted),
        atLeast(1, 'messages with changed bytes', careless.altered.length),
        atLeast(1, 'messages stored twice', careless.doubled.length),
      ],
    },
  })
})

test('a backup survives a power cut once the command has ended', async () => {
  const dataDir = temporaryFolder()
  // Without given secrets, so that it generates some.
  await (await startProgram('serve', { DATA_DIR: dataDir })).stop()
  await storeMail(dataDir)
  const disk = await mountCuttableDisk()

  /** The folders of backups, each followed by a power cut. */
  async function backUp(name: string, nodeArguments: string[]): Promise<string[]> {
    const folders: string[] = []
    for (let number = 0; number < BACKUPS; number++) {
      const folder = join(disk.folder, `${name}-${number}`)
      const settings = { DATA_DIR: dataDir, NODE_OPTIONS: nodeArguments.join(' ') }
      expect(await run(['backup', '--to', folder], settings)).toMatchObject({ code: 0 })
      await disk.cut([], async () => {})
      folders.push(folder)
    }
    return folders
  }

  const withOtherFiles = (folders: string[]) => folders.filter((folder) => !hasSameKeyFiles(dataDir, folder)).length
  const withOtherRows = (folders: string[]) => folders.filter((folder) => !hasSameRows(dataDir, folder)).length
  const synced = await backUp('synced', [])
  const unsynced = await backUp('unsynced', UNSYNCED)
  const figures = [
    atMost(0, KEY_FILES_DAMAGED, withOtherFiles(synced)),
    atMost(0, DATABASES_DAMAGED, withOtherRows(synced)),
  ]
  for (const folder of synced) damage(join(folder, 'mailhatch.db'))
  prove({
    claim: 'A backup survives a power cut once the command has ended.',
    tried:
      `\`mailhatch backup\` of ${BACKED_UP_MAILS} messages or more to such a disk, ${BACKUPS} times, each followed by a power cut. ` +
      'Every row of the databases is compared.',
    figures,
    control: {
      tried:
        'The same with a command that syncs no files of its own; and, for the databases, backups in which one text was changed afterwards.',
      figures: [
        atLeast(1, KEY_FILES_DAMAGED, withOtherFiles(unsynced)),
        atLeast(BACKUPS, DATABASES_DAMAGED, withOtherRows(synced)),
      ],
    },
  })
})

async function storeMail(dataDir: string): Promise<void> {
  const { smtpPort, stop } = await startChild({ environment: { DATA_DIR: dataDir } })
  const load = startMailLoad({ domain: 'mailhatch.test', seed: SEED, mailBytes: { bytesMin: 500, bytesMax: 20_000 } })
  await load.during({ smtpPort, connections: CONNECTIONS }, () => untilAccepted(load, BACKED_UP_MAILS))
  await untilAnnounced(embeddedStorage(dataDir))
  await stop()
}

function hasSameKeyFiles(dataDir: string, backup: string): boolean {
  return ['secrets.json', 'api-key'].every(
    (name) =>
      existsSync(join(backup, name)) && readFileSync(join(backup, name)).equals(readFileSync(join(dataDir, name))),
  )
}

function hasSameRows(dataDir: string, backup: string): boolean {
  return ['inbox.db', 'mailhatch.db'].every((name) => {
    const found = rowsHash(join(backup, name))
    return found !== null && found === rowsHash(join(dataDir, name))
  })
}

/** A hash of all rows of all tables. Null if the database is missing or damaged. */
function rowsHash(path: string): string | null {
  if (!existsSync(path)) return null
  const database = new DatabaseSync(path, { readOnly: true })
  const hash = createHash('sha256')
  try {
    if (database.prepare('pragma quick_check').get()!['quick_check'] !== 'ok') return null
    const tables = database.prepare(`select name from sqlite_schema where type = 'table' order by name`).all()
    for (const { name } of tables) {
      hash.update(`${String(name)}\n`)
      for (const row of database.prepare(`select * from "${String(name)}"`).iterate()) {
        hash.update(JSON.stringify(row, asText))
      }
    }
    return hash.digest('hex')
  } catch {
    return null
  } finally {
    database.close()
  }
}

function damage(path: string): void {
  const database = new DatabaseSync(path)
  database.exec(`update messages set subject = subject || '!' where position = 1`)
  database.close()
}

/** Blobs would become objects with a number for each byte. */
function asText(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}
